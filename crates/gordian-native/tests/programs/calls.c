/* Calls give back what the C library's would. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static const struct timespec past = {1, 0};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;
static uint32_t word, other;
static int step;

static int in_a_thread(int (*body)(void)) {
    pthread_t t;
    void *result;
    assert(!pthread_create(&t, 0, (void *(*)(void *))(void (*)(void))body, 0));
    assert(!pthread_join(t, &result));
    return (int)(long)result;
}

static int try_mutex(void) { return pthread_mutex_trylock(&m); }
static int time_mutex(void) { return pthread_mutex_timedlock(&m, &past); }
static int clock_mutex(void) { return pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past); }
static int try_read(void) { return pthread_rwlock_tryrdlock(&rw); }
static int try_write(void) { return pthread_rwlock_trywrlock(&rw); }
static int time_read(void) { return pthread_rwlock_timedrdlock(&rw, &past); }
static int time_write(void) { return pthread_rwlock_timedwrlock(&rw, &past); }
static int clock_write(void) { return pthread_rwlock_clockwrlock(&rw, CLOCK_REALTIME, &past); }
static int try_spin(void) { return pthread_spin_trylock(&spin); }
static int unlock_others(void) { return pthread_mutex_unlock(&m); }

static void locks(void) {
    pthread_mutex_lock(&m);
    assert(in_a_thread(try_mutex) == EBUSY);
    assert(in_a_thread(time_mutex) == ETIMEDOUT);
    assert(in_a_thread(clock_mutex) == ETIMEDOUT);
    assert(pthread_mutex_trylock(&m) == EBUSY);
    assert(pthread_mutex_destroy(&m) == EBUSY);
    assert(in_a_thread(unlock_others) == 0); /* a normal mutex does not mind */
    assert(pthread_mutex_trylock(&m) == 0);
    pthread_mutex_unlock(&m);

    pthread_rwlock_rdlock(&rw);
    assert(in_a_thread(try_read) == 0);
    assert(in_a_thread(try_write) == EBUSY);
    assert(in_a_thread(time_write) == ETIMEDOUT);
    assert(in_a_thread(clock_write) == ETIMEDOUT);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_unlock(&rw);
    assert(pthread_rwlock_unlock(&rw) == EPERM);
    pthread_rwlock_wrlock(&rw);
    assert(pthread_rwlock_rdlock(&rw) == EDEADLK && pthread_rwlock_wrlock(&rw) == EDEADLK);
    assert(in_a_thread(try_read) == EBUSY && in_a_thread(time_read) == ETIMEDOUT);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_destroy(&rw);

    pthread_spin_init(&spin, 0);
    pthread_spin_lock(&spin);
    assert(in_a_thread(try_spin) == EBUSY);
    pthread_spin_unlock(&spin);
    assert(pthread_spin_trylock(&spin) == 0);
    pthread_spin_unlock(&spin);
    pthread_spin_destroy(&spin);
}

static void semaphores(void) {
    int value;
    sem_init(&sem, 0, 1);
    assert(sem_wait(&sem) == 0);
    assert(sem_trywait(&sem) == -1 && errno == EAGAIN);
    assert(sem_timedwait(&sem, &past) == -1 && errno == ETIMEDOUT);
    assert(sem_clockwait(&sem, CLOCK_MONOTONIC, &past) == -1 && errno == ETIMEDOUT);
    sem_post(&sem);
    sem_post(&sem);
    assert(sem_getvalue(&sem, &value) == 0 && value == 2);
    assert(sem_timedwait(&sem, &past) == 0 && sem_trywait(&sem) == 0);
    sem_destroy(&sem);
}

static void conditions(void) {
    struct timespec until;
    pthread_mutex_lock(&m);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    assert(pthread_cond_timedwait(&c, &m, &until) == ETIMEDOUT);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    assert(now.tv_sec >= until.tv_sec); /* as late as it was to be */
    assert(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    assert(in_a_thread(try_mutex) == EBUSY); /* it is held again */
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&c);
    pthread_cond_broadcast(&c);
    pthread_cond_destroy(&c);
}

static void *steps(void *x) {
    pthread_mutex_lock(&m);
    step = 1;
    pthread_mutex_unlock(&m);
    return x;
}

static void threads(void) {
    pthread_t t;
    void *result;
    assert(pthread_join(pthread_self(), 0) == EDEADLK);
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, steps, &step);
    assert(pthread_tryjoin_np(t, &result) == EBUSY);
    assert(pthread_timedjoin_np(t, &result, &past) == ETIMEDOUT);
    pthread_mutex_unlock(&m);
    assert(pthread_join(t, &result) == 0 && result == &step && step == 1);
}

static void times(void) {
    struct timespec a, b;
    struct timeval day;
    clock_gettime(CLOCK_MONOTONIC, &a);
    sleep(2);
    usleep(500000);
    nanosleep(&(struct timespec){1, 500000000}, 0);
    clock_gettime(CLOCK_MONOTONIC, &b);
    assert(b.tv_sec - a.tv_sec >= 4 && b.tv_sec - a.tv_sec <= 5);
    b.tv_sec += 10;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &b, 0);
    clock_gettime(CLOCK_MONOTONIC, &a);
    assert(a.tv_sec >= b.tv_sec);
    time_t now = time(0);
    gettimeofday(&day, 0);
    assert(day.tv_sec - now <= 1);
    for (time_t end = time(0) + 60; time(0) < end;) /* a loop that only looks at the clock ends */
        ;
    sched_yield();
    cpu_set_t set;
    assert(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0);
}

static long futex(uint32_t *at, int op, uint32_t value, void *time, uint32_t *second, uint32_t third) {
    return syscall(SYS_futex, at, op | FUTEX_PRIVATE_FLAG, value, time, second, third);
}

static void *sleeper(void *x) {
    if (x)
        assert(futex(&word, FUTEX_WAIT_BITSET, 0, 0, 0, 2) == 0);
    else
        assert(futex(&word, FUTEX_WAIT, 0, 0, 0, 0) == 0);
    return x;
}

static void futexes(void) {
    struct timespec soon = {0, 1000};
    pthread_t t, u;
    assert(futex(&word, FUTEX_WAIT, 1, 0, 0, 0) == -1 && errno == EAGAIN);
    assert(futex(&word, FUTEX_WAIT, 0, &soon, 0, 0) == -1 && errno == ETIMEDOUT);
    assert(futex(&word, FUTEX_WAIT_BITSET, 0, 0, 0, 0) == -1 && errno == EINVAL);
    assert(futex(&word, FUTEX_WAKE, 1, 0, 0, 0) == 0);
    pthread_create(&t, 0, sleeper, 0);
    while (futex(&word, FUTEX_WAKE, 1, 0, 0, 0) == 0)
        sched_yield();
    pthread_join(t, 0);
    pthread_create(&t, 0, sleeper, &t);
    while (futex(&word, FUTEX_WAKE_BITSET, 1, 0, 0, 2) == 0) {
        assert(futex(&word, FUTEX_WAKE_BITSET, 1, 0, 0, 1) == 0);
        sched_yield();
    }
    pthread_join(t, 0);
    pthread_create(&t, 0, sleeper, 0);
    pthread_create(&u, 0, sleeper, 0);
    long moved = 0;
    while (moved < 2) {
        long more = futex(&word, FUTEX_CMP_REQUEUE, 0, (void *)2, &other, 0);
        assert(more >= 0);
        moved += more;
        sched_yield();
    }
    assert(futex(&word, FUTEX_CMP_REQUEUE, 0, (void *)2, &other, 7) == -1 && errno == EAGAIN);
    assert(futex(&word, FUTEX_WAKE, 9, 0, 0, 0) == 0);
    assert(futex(&other, FUTEX_WAKE, 9, 0, 0, 0) == 2);
    pthread_join(t, 0);
    pthread_join(u, 0);
}

static mtx_t mtx;
static cnd_t cnd;
static once_flag once = ONCE_FLAG_INIT;
static void begin(void) { step++; }
static int c11_try(void *x) { return mtx_trylock(&mtx) + (x != 0); }

static void c11(void) {
    thrd_t t;
    int result;
    assert(mtx_init(&mtx, mtx_timed) == thrd_success && cnd_init(&cnd) == thrd_success);
    mtx_lock(&mtx);
    thrd_create(&t, c11_try, 0);
    assert(thrd_join(t, &result) == thrd_success && result == thrd_busy);
    assert(cnd_timedwait(&cnd, &mtx, &past) == thrd_timedout);
    assert(cnd_signal(&cnd) == thrd_success && cnd_broadcast(&cnd) == thrd_success);
    mtx_unlock(&mtx);
    assert(mtx_timedlock(&mtx, &past) == thrd_success);
    mtx_unlock(&mtx);
    step = 0;
    call_once(&once, begin);
    call_once(&once, begin);
    assert(step == 1);
    assert(thrd_sleep(&past, 0) == 0);
    thrd_yield();
    cnd_destroy(&cnd);
    mtx_destroy(&mtx);
}

static void *writes(void *x) {
    assert(!pthread_rwlock_wrlock(&rw));
    step = 1;
    pthread_rwlock_unlock(&rw);
    return x;
}

/* A lock that prefers writers: a reader comes in next to another unless somebody waits to write. */
static void writers_first(void) {
    static pthread_rwlock_t preferring = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    memcpy(&rw, &preferring, sizeof rw);
    pthread_t t;
    assert(!pthread_rwlock_rdlock(&rw));
    assert(in_a_thread(try_read) == 0 && in_a_thread(try_write) == EBUSY && in_a_thread(time_write) == ETIMEDOUT);
    assert(!pthread_rwlock_tryrdlock(&rw));
    for (int i = 0; i < 3; i++)
        pthread_rwlock_unlock(&rw);
    assert(!pthread_rwlock_trywrlock(&rw));
    assert(in_a_thread(try_read) == EBUSY && in_a_thread(time_read) == ETIMEDOUT);
    assert(pthread_rwlock_wrlock(&rw) == EDEADLK);
    pthread_rwlock_unlock(&rw);
    step = 0;
    assert(!pthread_rwlock_rdlock(&rw));
    pthread_create(&t, 0, writes, 0);
    int again = pthread_rwlock_tryrdlock(&rw);
    assert(step == 0 && (again == 0 || again == EBUSY));
    if (again == 0)
        pthread_rwlock_unlock(&rw);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
    pthread_join(t, 0);
    assert(step == 1);
}

int main(int count, char **argument) {
    assert(count == 2);
    switch (argument[1][0]) {
    case 'l': locks(); break;
    case 's': semaphores(); in_a_thread(try_mutex); break;
    case 'c': conditions(); break;
    case 't': threads(); break;
    case 'w': argument[1][1] == 'r' ? writers_first() : times(); break;
    case 'f': futexes(); break;
    case '1': c11(); break;
    default: assert(!"a case");
    }
    return 0;
}
