/* Programs whose threads meet in memory. The first argument says which, "fixed" as the second that the bug is not there. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int a, b, c, lock;
static atomic_char small[2];
static int plain, got[2], fixed;
static volatile int old_flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void run(int count, void *(*body)(void *)) {
    pthread_t t[8];
    for (long i = 0; i < count; i++) pthread_create(&t[i], 0, body, (void *)i);
    for (int i = 0; i < count; i++) pthread_join(t[i], 0);
}

/* With twins on Gordian's types. */

static void *buffers(void *i) {
    atomic_store(i ? &b : &a, 1);
    got[(long)i] = atomic_load(i ? &a : &b);
    return 0;
}

static void *adds(void *i) { atomic_fetch_add(&a, 1); return i; }

static void *loads_and_stores(void *i) {
    int now = atomic_load(&a);
    atomic_store(&a, now + 1);
    return i;
}

static void *exchanges(void *i) {
    int now = atomic_load(&a);
    while (!atomic_compare_exchange_strong(&a, &now, now + 1)) {}
    return i;
}

static void *spins(void *i) {
    while (atomic_exchange(&lock, 1)) {}
    plain++;
    atomic_store(&lock, 0);
    return i;
}

static void *passes(void *i) {
    if (!i) {
        plain = 7;
        atomic_store_explicit(&a, 1, memory_order_release);
    } else {
        while (!atomic_load_explicit(&a, memory_order_acquire)) {}
        assert(plain == 7);
    }
    return 0;
}

static void *neighbours(void *i) {
    atomic_store(&small[(long)i], 1);
    atomic_fetch_or(&small[(long)i], 2);
    return 0;
}

static void *mixes(void *i) {
    pthread_mutex_lock(&mutex);
    plain++;
    pthread_mutex_unlock(&mutex);
    atomic_fetch_sub(&a, 1);
    return i;
}

/* With a bug. */

static void *races(void *i) {
    if (fixed) pthread_mutex_lock(&mutex);
    plain++;
    if (fixed) pthread_mutex_unlock(&mutex);
    return i;
}

static void *publishes(void *i) {
    if (!i) {
        plain = 7;
        atomic_store_explicit(&a, 1, fixed ? memory_order_release : memory_order_relaxed);
    } else if (atomic_load_explicit(&a, memory_order_acquire)) {
        assert(plain == 7);
    }
    return 0;
}

static void *fenced(void *i) {
    if (!i) {
        plain = 7;
        if (fixed) atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&a, 1, memory_order_relaxed);
    } else if (atomic_load_explicit(&a, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        assert(plain == 7);
    }
    return 0;
}

static _Atomic(int *) shared;

static void *uses(void *i) {
    pthread_mutex_lock(&mutex);
    int *here = atomic_load(&shared);
    if (!fixed) pthread_mutex_unlock(&mutex);
    if (here) {
        /* What is done between the look and the use is a step. */
        atomic_fetch_add(&b, 1);
        got[0] = *here;
    }
    if (fixed) pthread_mutex_unlock(&mutex);
    return i;
}

static void uses_after_free(void) {
    int *made = malloc(sizeof *made);
    *made = 3;
    atomic_store(&shared, made);
    pthread_t t;
    pthread_create(&t, 0, uses, 0);
    pthread_mutex_lock(&mutex);
    atomic_store(&shared, 0);
    free(made);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, 0);
}

static void *frees(void *i) {
    int *here = fixed ? atomic_exchange(&shared, 0) : atomic_load(&shared);
    if (here) {
        if (!fixed) atomic_store(&shared, 0);
        free(here);
    }
    return i;
}

static void *owners(void *i) {
    if (atomic_fetch_sub(&a, 1) == 1) {
        free(atomic_load(&shared));
    }
    return i;
}

static void *volatiles(void *i) {
    if (i) {
        while (!old_flag) {}
    } else {
        old_flag = 1;
    }
    return 0;
}

static void *counts_rounds(void *i) {
    if (i) {
        int rounds = 0;
        while (!atomic_load(&a)) rounds++;
        got[1] = rounds;
    } else {
        atomic_store(&a, 1);
    }
    return 0;
}

int main(int count, char **arguments) {
    const char *which = count > 1 ? arguments[1] : "";
    fixed = count > 2 && !strcmp(arguments[2], "fixed");
#define CASE(name) else if (!strcmp(which, name))
    if (0) {}
    CASE("buffers") { run(2, buffers); assert(got[0] || got[1]); }
    CASE("adds") { run(3, adds); assert(a == 3); }
    CASE("loads and stores") { run(2, loads_and_stores); assert(a == 1 || a == 2); }
    CASE("exchanges") { run(2, exchanges); assert(a == 2); }
    CASE("spins") { run(2, spins); assert(plain == 2); }
    CASE("passes") { run(2, passes); }
    CASE("neighbours") { run(2, neighbours); assert(small[0] == 3 && small[1] == 3); }
    CASE("mixes") { run(2, mixes); assert(plain == 2); }
    CASE("races") { run(2, races); }
    CASE("publishes") { run(2, publishes); }
    CASE("fenced") { run(2, fenced); }
    CASE("use after free") { uses_after_free(); }
    CASE("double free") { atomic_store(&shared, malloc(4)); run(2, frees); }
    CASE("owners") { atomic_store(&shared, malloc(4)); atomic_store(&a, 2); run(2, owners); }
    CASE("volatile") { run(2, volatiles); }
    CASE("rounds") { run(2, counts_rounds); }
    CASE("lost update") { run(2, fixed ? adds : loads_and_stores); assert(a == 2); }
    else assert(!"a case");
    (void)c;
    return 0;
}
