// Two threads count what they have done in one variable. Without a lock both may read the same number, and one count is lost.
// expect: data race
#include <assert.h>
#include <pthread.h>

static int done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    done++;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void) {
    pthread_t workers[2];
    for (int i = 0; i < 2; i++) pthread_create(&workers[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(workers[i], 0);
    pthread_mutex_lock(&lock);
    assert(done == 2);
    pthread_mutex_unlock(&lock);
    return 0;
}
