// Initialisation through pthread_once that comes, by way of a function that is called, to the same pthread_once again: it waits for itself.
// expect: deadlock
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int level;

static void init(void);

static int log_level(void) {
#ifndef FIXED
    pthread_once(&once, init);
#endif
    return level;
}

static void init(void) { level = log_level() + 1; }

static void *work(void *unused) {
    pthread_once(&once, init);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_once(&once, init);
    pthread_join(thread, 0);
    return level != 1;
}
