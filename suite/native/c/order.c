// A thread uses the handle that its creator stores after creating it, as in an old version of a browser's network thread. It may be too early.
// expect: panic
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(const char *) name;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *greet(void *unused) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
#endif
    assert(atomic_load(&name));
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, greet, 0);
    atomic_store(&name, "the first one");
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
