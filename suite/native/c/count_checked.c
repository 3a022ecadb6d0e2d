// A reference count that is looked at and then lowered: two threads that let go at once both think that they are not the last, or that both are.
// expect: use after free, data race
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int owners;
    int uses;
};

static void release(struct object *object) {
#ifdef FIXED
    if (atomic_fetch_sub(&object->owners, 1) == 1) free(object);
#else
    atomic_fetch_sub(&object->owners, 1);
    if (atomic_load(&object->owners) == 0) free(object);
#endif
}

static void *owner(void *object) {
    release(object);
    return 0;
}

int main(void) {
    pthread_t thread;
    struct object *object = calloc(1, sizeof *object);
    atomic_init(&object->owners, 2);
    pthread_create(&thread, 0, owner, object);
    release(object);
    pthread_join(thread, 0);
    return 0;
}
