// Peterson's lock for two threads with the turn given before the flag is raised: both get in, even where every access is sequentially consistent.
// expect: data race
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int inside;

static void lock(int me) {
#ifdef FIXED
    atomic_store(&wants[me], 1);
    atomic_store(&turn, 1 - me);
#else
    atomic_store(&turn, 1 - me);
    atomic_store(&wants[me], 1);
#endif
    while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me) {
    }
}

static void *work(void *argument) {
    int me = *(int *)argument;
    lock(me);
    inside++;
    atomic_store(&wants[me], 0);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return inside != 2;
}
