// A spin lock that looks whether it is free and then takes it, in two steps: two threads get in.
// expect: data race
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken;
static int inside;

static void lock(void) {
#ifdef FIXED
    while (atomic_exchange_explicit(&taken, 1, memory_order_acquire)) {
    }
#else
    while (atomic_load_explicit(&taken, memory_order_acquire)) {
    }
    atomic_store_explicit(&taken, 1, memory_order_relaxed);
#endif
}

static void *work(void *unused) {
    lock();
    inside++;
    atomic_store_explicit(&taken, 0, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return inside != 2;
}
