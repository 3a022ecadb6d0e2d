/* Threads that are cancelled. The first argument chooses a case; a second one fixes its bug. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t sem, done;
static int fixed, n, cleaned, ready;
static pthread_t other;

static void unlocks(void *m) {
    pthread_mutex_unlock(m);
}

static void counts(void *x) {
    cleaned += *(int *)x;
}

/* The mutex is held again when a wait is cancelled. Without the fix nobody gives it back. */
static void *waits(void *x) {
    pthread_mutex_lock(&a);
    if (fixed) {
        pthread_cleanup_push(unlocks, &a);
        while (!ready)
            pthread_cond_wait(&c, &a);
        pthread_cleanup_pop(0);
    } else {
        while (!ready)
            pthread_cond_wait(&c, &a);
    }
    pthread_mutex_unlock(&a);
    return x;
}

/* Without the fix the permit is gone if the thread is cancelled while it works. */
static void *works(void *x) {
    int one = 1;
    sem_wait(&sem);
    pthread_cleanup_push(counts, &one);
    if (fixed)
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
    usleep(1);
    sem_post(&sem);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
    pthread_cleanup_pop(1);
    return x;
}

static void *takes(void *x) {
    int one = 1, ten = 10;
    pthread_cleanup_push(counts, &one);
    pthread_cleanup_push(counts, &ten);
    sem_wait(&sem);
    n = 1;
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(0);
    return x;
}

static void *joins(void *x) {
    pthread_t t;
    sem_init(&done, 0, 0);
    pthread_create(&t, 0, (void *(*)(void *))sem_wait, &done);
    other = t;
    sem_post(&sem);
    pthread_join(t, 0);
    return x;
}

static void *looks(void *x) {
    int old;
    assert(!pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) && old == PTHREAD_CANCEL_ENABLE);
    sem_post(&sem);
    pthread_testcancel();
    usleep(1);
    n = 1;
    assert(!pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) && old == PTHREAD_CANCEL_DISABLE);
    assert(pthread_setcancelstate(7, &old) == EINVAL);
    pthread_testcancel();
    n = 2;
    return x;
}

static void *at_any_time(void *x) {
    int old;
    assert(!pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) && old == PTHREAD_CANCEL_DEFERRED);
    sem_post(&sem);
    n = 1;
    sched_yield();
    n = 2;
    pthread_mutex_lock(&a);
    n = 3;
    pthread_mutex_unlock(&a);
    return x;
}

static void *waits_long(void *x) {
    struct timespec then;
    clock_gettime(CLOCK_REALTIME, &then);
    then.tv_sec += 10;
    pthread_mutex_lock(&a);
    pthread_cleanup_push(unlocks, &a);
    int error = ready ? 0 : pthread_cond_timedwait(&c, &a, &then);
    n = error == ETIMEDOUT ? 1 : 2;
    pthread_cleanup_pop(1);
    if (sem_timedwait(&sem, &then)) {
        assert(errno == ETIMEDOUT);
        n += 10;
    }
    return x;
}

static void *waits_for_a_signal(void *x) {
    sigset_t set;
    int signal;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &signal);
    return x;
}

static int of_c11(void *x) {
    mtx_lock((mtx_t *)&a);
    pthread_cleanup_push(unlocks, &a);
    cnd_wait((cnd_t *)&c, (mtx_t *)&a);
    pthread_cleanup_pop(1);
    (void)x;
    return 3;
}

static void *sleeps(void *x) {
    for (;;)
        sleep(1);
    return x;
}

static void *ends_first(void *x) {
    int one = 1;
    pthread_cleanup_push(counts, &one);
    pthread_exit(x);
    pthread_cleanup_pop(0);
    return 0;
}

/* Cancels a thread and gives back its result. */
static void *cancelled(pthread_t t) {
    void *result = 0;
    assert(!pthread_cancel(t));
    assert(!pthread_join(t, &result));
    return result;
}

#define CASE(name) else if (!strcmp(argument[1], name))

int main(int count, char **argument) {
    pthread_t t, u;
    int mark;
    fixed = count > 2;
    if (0) {
    }
    CASE("locked") {
        pthread_create(&t, 0, waits, 0);
        pthread_cancel(t);
        pthread_join(t, 0);
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a);
    }
    CASE("permit") {
        sem_init(&sem, 0, 1);
        pthread_create(&t, 0, works, 0);
        cancelled(t);
        sem_wait(&sem);
    }
    CASE("waiting") {
        /* Whoever is cancelled does not keep the notification from the other. */
        fixed = 1;
        pthread_create(&t, 0, waits, 0);
        pthread_create(&u, 0, waits, 0);
        pthread_mutex_lock(&a);
        ready = 1;
        pthread_cancel(t);
        pthread_cond_signal(&c);
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&a);
        pthread_join(t, 0);
        pthread_join(u, 0);
    }
    CASE("semaphore") {
        sem_init(&sem, 0, 0);
        pthread_create(&t, 0, takes, &mark);
        assert(cancelled(t) == PTHREAD_CANCELED && n == 0 && cleaned == 11);
    }
    CASE("permit comes") {
        /* It is cancelled, or takes the permit, or both when it has begun too early. */
        sem_init(&sem, 0, 0);
        pthread_create(&t, 0, takes, &mark);
        sem_post(&sem);
        void *result = cancelled(t);
        assert(n ? result == &mark && cleaned == 10 : result == PTHREAD_CANCELED && cleaned == 11);
        assert(fixed || n == 1);
    }
    CASE("cancelled early") {
        sem_init(&sem, 0, 0);
        pthread_create(&t, 0, takes, &mark);
        sem_post(&sem);
        void *result = cancelled(t);
        assert(fixed || result == PTHREAD_CANCELED);
    }
    CASE("joins") {
        sem_init(&sem, 0, 0);
        pthread_create(&t, 0, joins, 0);
        sem_wait(&sem);
        assert(cancelled(t) == PTHREAD_CANCELED);
        /* The one it waited for can still be joined. */
        sem_post(&done);
        assert(!pthread_join(other, 0));
    }
    CASE("state") {
        sem_init(&sem, 0, 0);
        pthread_create(&t, 0, looks, &mark);
        sem_wait(&sem);
        void *result = cancelled(t);
        assert(result == PTHREAD_CANCELED ? n == 1 : result == &mark && n == 2);
        assert(fixed || n == 1);
    }
    CASE("any time") {
        sem_init(&sem, 0, 0);
        pthread_create(&t, 0, at_any_time, &mark);
        sem_wait(&sem);
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a);
        void *result = cancelled(t);
        assert(result == PTHREAD_CANCELED ? n < 4 : result == &mark && n == 3);
        assert(fixed || n != 1);
    }
    CASE("timed") {
        sem_init(&sem, 0, 0);
        pthread_create(&t, 0, waits_long, &mark);
        void *result = cancelled(t);
        assert(result == PTHREAD_CANCELED ? n < 3 : result == &mark && n > 10);
        pthread_mutex_lock(&a);
        assert(fixed || n != 0);
    }
    CASE("signal") {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &set, 0);
        pthread_create(&t, 0, waits_for_a_signal, 0);
        assert(cancelled(t) == PTHREAD_CANCELED);
    }
    CASE("c11") {
        thrd_create(&t, of_c11, 0);
        int result = 0;
        pthread_cancel(t);
        assert(thrd_join(t, &result) == thrd_success && result == -1);
    }
    CASE("sleeps") {
        pthread_create(&t, 0, sleeps, 0);
        assert(cancelled(t) == PTHREAD_CANCELED);
    }
    CASE("ends first") {
        pthread_create(&t, 0, ends_first, &mark);
        assert(cancelled(t) == &mark && cleaned == 1);
    }
    CASE("itself") {
        /* The main thread goes, the process stays until the other has ended. */
        sem_init(&sem, 0, 0);
        pthread_create(&t, 0, takes, 0);
        assert(!pthread_cancel(pthread_self()));
        sem_post(&sem);
        pthread_testcancel();
        assert(0);
    }
    else abort();
    return 0;
}
