// A cache drops its buffer when it is told to. Two threads tell it at once, both see the buffer, and both free it.
// expect: double free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(void *) buffer;

static void *drop(void *unused) {
#ifdef FIXED
    free(atomic_exchange(&buffer, 0));
#else
    void *old = atomic_load(&buffer);
    atomic_store(&buffer, 0);
    free(old);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    atomic_store(&buffer, malloc(100));
    pthread_create(&thread, 0, drop, 0);
    drop(0);
    pthread_join(thread, 0);
    return 0;
}
