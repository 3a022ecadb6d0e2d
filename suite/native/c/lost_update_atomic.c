// A counter is atomic, but adding to it is a load and a store. No access is a data race, and still an addition is lost.
// expect: panic
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

static void *work(void *unused) {
#ifdef FIXED
    atomic_fetch_add(&done, 1);
#else
    atomic_store(&done, atomic_load(&done) + 1);
#endif
    return unused;
}

int main(void) {
    pthread_t workers[2];
    for (int i = 0; i < 2; i++) pthread_create(&workers[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(workers[i], 0);
    assert(atomic_load(&done) == 2);
    return 0;
}
