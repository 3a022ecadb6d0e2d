/* Programs that have twins on Gordian's own types in tests/native/pairs.rs. The first argument chooses one. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static sem_t items, room;
static int n, done;

static void run(int count, void *(*body)(void *)) {
    pthread_t t[8];
    for (long i = 0; i < count; i++)
        assert(!pthread_create(&t[i], 0, body, (void *)i));
    for (int i = 0; i < count; i++)
        assert(!pthread_join(t[i], 0));
}

static void *counts(void *x) {
    pthread_mutex_lock(&a);
    n++;
    pthread_mutex_unlock(&a);
    return x;
}

static void *both(void *x) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return x;
}

static void *tries(void *x) {
    if (pthread_mutex_trylock(&a) == 0) {
        n++;
        pthread_mutex_unlock(&a);
    }
    return x;
}

static void *waits(void *x) {
    pthread_mutex_lock(&a);
    while (!done)
        pthread_cond_wait(&c, &a);
    pthread_mutex_unlock(&a);
    return x;
}

static void *waits_a_while(void *x) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_mutex_lock(&a);
    if (!done)
        pthread_cond_timedwait(&c, &a, &until);
    pthread_mutex_unlock(&a);
    return x;
}

static void tells(int all) {
    pthread_mutex_lock(&a);
    done = 1;
    if (all)
        pthread_cond_broadcast(&c);
    else
        pthread_cond_signal(&c);
    pthread_mutex_unlock(&a);
}

static void *reads_or_writes(void *x) {
    if (x) {
        pthread_rwlock_rdlock(&rw);
        assert(n == 0 || n == 1);
    } else {
        pthread_rwlock_wrlock(&rw);
        n++;
    }
    pthread_rwlock_unlock(&rw);
    return 0;
}

static void *puts_or_takes(void *x) {
    if ((long)x % 2 == 0) {
        sem_wait(&room);
        sem_post(&items);
    } else {
        sem_wait(&items);
        sem_post(&room);
    }
    return 0;
}

static void *meets(void *x) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_mutex_lock(&a);
        n++;
        pthread_mutex_unlock(&a);
    }
    return x;
}

static void begin(void) { n++; }

static void *initialises(void *x) {
    pthread_once(&once, begin);
    return x;
}

static void *nests(void *x) {
    pthread_t inner;
    pthread_create(&inner, 0, counts, 0);
    counts(0);
    pthread_join(inner, 0);
    return x;
}

static void *yields(void *x) {
    counts(x);
    sched_yield();
    counts(x);
    return x;
}

static pthread_mutex_t recursive;

static void *again(void *x) {
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    n++;
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    return x;
}

static mtx_t mtx;

static int c11(void *x) {
    mtx_lock(&mtx);
    n++;
    mtx_unlock(&mtx);
    return 7;
}

int main(int count, char **argument) {
    const char *which = argument[1];
    assert(count == 2);
#define CASE(name) else if (!strcmp(which, name))
    if (0) {}
    CASE("counts") { run(3, counts); assert(n == 3); }
    CASE("both") { run(2, both); assert(n == 2); }
    CASE("tries") { run(3, tries); assert(n > 0); }
    CASE("waits") {
        pthread_t t;
        pthread_create(&t, 0, waits, 0);
        tells(0);
        pthread_join(t, 0);
    }
    CASE("all wait") {
        pthread_t t, u;
        pthread_create(&t, 0, waits, 0);
        pthread_create(&u, 0, waits, 0);
        tells(1);
        pthread_join(t, 0);
        pthread_join(u, 0);
    }
    CASE("waits a while") {
        pthread_t t;
        pthread_create(&t, 0, waits_a_while, 0);
        tells(0);
        pthread_join(t, 0);
    }
    CASE("reads or writes") { run(3, reads_or_writes); }
    CASE("puts or takes") {
        sem_init(&items, 0, 0);
        sem_init(&room, 0, 1);
        run(4, puts_or_takes);
    }
    CASE("meets") {
        pthread_barrier_init(&barrier, 0, 2);
        run(2, meets);
        assert(n == 1);
    }
    CASE("initialises") { run(3, initialises); assert(n == 1); }
    CASE("nests") { run(2, nests); assert(n == 4); }
    CASE("yields") { run(2, yields); assert(n == 4); }
    CASE("again") {
        pthread_mutexattr_t recursively;
        pthread_mutexattr_init(&recursively);
        pthread_mutexattr_settype(&recursively, PTHREAD_MUTEX_RECURSIVE);
        pthread_mutex_init(&recursive, &recursively);
        run(3, again);
        assert(n == 3);
    }
    CASE("c11") {
        thrd_t t, u;
        int r;
        mtx_init(&mtx, mtx_plain);
        thrd_create(&t, c11, 0);
        thrd_create(&u, c11, 0);
        thrd_join(t, &r);
        assert(r == 7);
        thrd_join(u, 0);
        assert(n == 2);
    }
    else assert(!"a case");
    return 0;
}
