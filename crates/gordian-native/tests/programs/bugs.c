/* Programs with a bug, and with it fixed. The first argument chooses one; a second one fixes it. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int fixed, n, ready;
static int *pointer = &n;

static int get(int *p) {
    pthread_mutex_lock(&a);
    int v = *p;
    pthread_mutex_unlock(&a);
    return v;
}

static void set(int *p, int v) {
    pthread_mutex_lock(&a);
    *p = v;
    pthread_mutex_unlock(&a);
}

static void *a_then_b(void *x) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return x;
}

static void *b_then_a(void *x) {
    if (fixed)
        return a_then_b(x);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return x;
}

static pthread_rwlock_t rw;

static void *reads_twice(void *x) {
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_unlock(&rw);
    return x;
}

static void *sleeps(void *x) {
    if (!fixed && get(&ready))
        return x;
    pthread_mutex_lock(&a);
    while (fixed ? !ready : !n) {
        n = 1; /* without the fix it looks only once, before it holds the lock */
        pthread_cond_wait(&c, &a);
    }
    pthread_mutex_unlock(&a);
    return x;
}

static void wakes(void) {
    pthread_mutex_lock(&a);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&a);
}

static void *adds(void *x) {
    sem_wait(&sem);
    set(&n, get(&n) + 1);
    sem_post(&sem);
    return x;
}

static void *takes(void *x) {
    pthread_mutex_lock(&a);
    while (n == 0) {
        pthread_cond_wait(&c, &a);
        if (!fixed)
            break;
    }
    n--;
    assert(n >= 0);
    pthread_mutex_unlock(&a);
    return x;
}

static void *gives(void *x) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&a);
        n++;
        if (i == 0)
            pthread_cond_signal(&c);
        else
            pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&a);
    }
    return x;
}

static void *hopes(void *x) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    pthread_mutex_lock(&a);
    while (!ready) {
        int error = pthread_cond_timedwait(&c, &a, &until);
        if (error == ETIMEDOUT && fixed)
            break;
        assert(error == 0);
    }
    pthread_mutex_unlock(&a);
    return x;
}

static pthread_mutex_t robust;

static void *dies(void *x) {
    pthread_mutex_lock(&robust);
    n = 1;
    return x;
}

static void *inherits(void *x) {
    int error = pthread_mutex_lock(&robust);
    assert(error == 0 || error == EOWNERDEAD);
    if (error == EOWNERDEAD && fixed)
        assert(pthread_mutex_consistent(&robust) == 0);
    pthread_mutex_unlock(&robust);
    error = pthread_mutex_lock(&robust);
    assert(error != ENOTRECOVERABLE);
    if (error == EOWNERDEAD)
        assert(pthread_mutex_consistent(&robust) == 0);
    pthread_mutex_unlock(&robust);
    return x;
}

static void *forgets(void *x) {
    pthread_mutex_lock(&a);
    pointer = 0;
    if (fixed)
        pointer = &n;
    pthread_mutex_unlock(&a);
    return x;
}

static pthread_key_t key;

static void at_the_end(void *x) { set(&n, n + 1); }

static void *has_a_key(void *x) {
    pthread_setspecific(key, &n);
    return x;
}

static void *locks_timed(void *x) {
    struct timespec until = {0, 0};
    int error = pthread_mutex_timedlock(&a, &until);
    assert(fixed ? error == 0 || error == ETIMEDOUT : error == 0);
    if (!error)
        pthread_mutex_unlock(&a);
    return x;
}

static void *ticks(void *x) {
    for (;;)
        sleep(1);
    return x;
}

static void run(void *(*one)(void *), void *(*two)(void *), void *(*three)(void *)) {
    void *(*all[3])(void *) = {one, two, three};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        if (all[i])
            pthread_create(&t[i], 0, all[i], 0);
    for (int i = 0; i < 3; i++)
        if (all[i])
            pthread_join(t[i], 0);
}

int main(int count, char **argument) {
    const char *which = argument[1];
    pthread_t t;
    fixed = count > 2;
#define CASE(name) else if (!strcmp(which, name))
    if (0) {}
    CASE("ab ba") { run(a_then_b, b_then_a, 0); }
    CASE("lost wakeup") {
        pthread_create(&t, 0, sleeps, 0);
        wakes();
        pthread_join(t, 0);
    }
    CASE("wrong count") {
        sem_init(&sem, 0, fixed ? 1 : 2);
        run(adds, adds, 0);
        assert(n == 2);
    }
    CASE("missed join") {
        pthread_create(&t, 0, adds, 0);
        sem_init(&sem, 0, 1);
        if (fixed)
            pthread_join(t, 0);
        assert(get(&n) == 1);
    }
    CASE("no loop") { run(takes, takes, gives); }
    CASE("timeout") {
        pthread_create(&t, 0, hopes, 0);
        wakes();
        pthread_join(t, 0);
    }
    CASE("robust") {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_init(&robust, &attributes);
        run(dies, inherits, 0);
    }
    CASE("null pointer") {
        pthread_create(&t, 0, forgets, 0);
        pthread_mutex_lock(&a);
        *pointer = 1;
        pthread_mutex_unlock(&a);
        pthread_join(t, 0);
    }
    CASE("status") {
        pthread_create(&t, 0, adds, 0);
        sem_init(&sem, 0, 1);
        int seen = get(&n);
        pthread_join(t, 0);
        return fixed ? 0 : seen;
    }
    CASE("impatient") {
        pthread_create(&t, 0, locks_timed, 0);
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a);
        pthread_join(t, 0);
    }
    CASE("itself") {
        pthread_mutexattr_t attributes;
        pthread_mutex_t m;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, fixed ? PTHREAD_MUTEX_ERRORCHECK : PTHREAD_MUTEX_NORMAL);
        pthread_mutex_init(&m, &attributes);
        pthread_mutex_lock(&m);
        assert(pthread_mutex_lock(&m) == EDEADLK);
        pthread_mutex_unlock(&m);
        assert(pthread_mutex_unlock(&m) == EPERM);
        run(a_then_b, 0, 0);
    }
    CASE("reads twice") {
        /* Where writers are preferred, one that waits keeps a reader from coming in again. */
        pthread_rwlockattr_t attributes;
        pthread_rwlockattr_init(&attributes);
        pthread_rwlockattr_setkind_np(
            &attributes, fixed ? PTHREAD_RWLOCK_PREFER_WRITER_NP : PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
        pthread_rwlock_init(&rw, &attributes);
        pthread_create(&t, 0, reads_twice, 0);
        pthread_rwlock_wrlock(&rw);
        pthread_rwlock_unlock(&rw);
        pthread_join(t, 0);
    }
    CASE("destructor") {
        /* Without the fix main looks before the thread, whose destructors belong to it, has ended. */
        pthread_key_create(&key, at_the_end);
        pthread_create(&t, 0, has_a_key, 0);
        if (fixed)
            pthread_join(t, 0);
        assert(get(&n) == 1);
    }
    CASE("left behind") {
        /* Threads that wait or tick when main returns are no deadlock; one that fails is a failure. */
        pthread_create(&t, 0, ticks, 0);
        pthread_detach(t);
        pthread_create(&t, 0, takes, 0);
        if (!fixed) {
            pthread_create(&t, 0, adds, 0);
            sem_init(&sem, 0, 1);
            sem_wait(&sem);
            assert(get(&n) == 0);
        }
    }
    CASE("ends main") {
        pthread_create(&t, 0, fixed ? a_then_b : locks_timed, 0);
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a);
        pthread_exit(0);
    }
    else abort();
    return 0;
}
