// Double-checked locking with a plain pointer: the first look is outside of the lock, and nothing orders it with the creation.
// expect: data race
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
static _Atomic(int *) instance;
#else
static int *instance;
#endif

static int *get(void) {
    int *found = instance;
    if (!found) {
        pthread_mutex_lock(&lock);
        found = instance;
        if (!found) {
            found = malloc(sizeof *found);
            *found = 42;
            instance = found;
        }
        pthread_mutex_unlock(&lock);
    }
    return found;
}

static void *use(void *unused) {
    if (*get() != 42) abort();
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    free(instance);
    return 0;
}
