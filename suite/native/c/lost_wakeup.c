// The flag is set and signalled without the mutex: between the waiter's look at the flag and its wait, both may happen, and the signal is lost.
// expect: deadlock
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *waiter(void *unused) {
    pthread_mutex_lock(&lock);
    while (!atomic_load(&ready)) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    atomic_store(&ready, 1);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    pthread_cond_signal(&changed);
    pthread_join(thread, 0);
    return 0;
}
