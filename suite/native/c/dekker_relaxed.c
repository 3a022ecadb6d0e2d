// Each thread raises its flag and looks at the other's. Sequentially consistent, at most one sees no flag and goes in; the flags are relaxed, so nothing orders what those who come one after the other do inside.
// expect: data race
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_relaxed
#endif

static atomic_int flags[2];
static int inside;

static void *work(void *argument) {
    int me = *(int *)argument;
    atomic_store_explicit(&flags[me], 1, ORDER);
    if (!atomic_load_explicit(&flags[1 - me], ORDER)) inside++;
    atomic_store_explicit(&flags[me], 0, ORDER);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
