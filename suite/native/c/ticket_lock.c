// A ticket lock whose owner serves next the number that the dispenser shows, not the one after its own: if another has drawn meanwhile, its number is skipped and it waits for ever.
// expect: livelock
#include <pthread.h>
#include <stdatomic.h>

static atomic_int dispenser, serving;
static int inside;

static void *work(void *unused) {
    int mine = atomic_fetch_add(&dispenser, 1);
    while (atomic_load(&serving) != mine) {
    }
    inside++;
#ifdef FIXED
    atomic_store(&serving, mine + 1);
#else
    atomic_store(&serving, atomic_load(&dispenser));
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return inside != 2;
}
