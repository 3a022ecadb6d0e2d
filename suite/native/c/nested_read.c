// A reader calls a function that reads too. The lock prefers writers: one that comes in between waits for the first read lock to be let go, and the second waits for the writer.
// expect: deadlock
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock;
static int entries;

static int count(void) {
    pthread_rwlock_rdlock(&lock);
    int n = entries;
    pthread_rwlock_unlock(&lock);
    return n;
}

static void *report(void *unused) {
    int twice;
#ifdef FIXED
    twice = 2 * count();
#else
    pthread_rwlock_rdlock(&lock);
    twice = entries + count();
    pthread_rwlock_unlock(&lock);
#endif
    return twice % 2 ? unused : 0;
}

static void *insert(void *unused) {
    pthread_rwlock_wrlock(&lock);
    entries++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_rwlockattr_t prefer;
    pthread_rwlockattr_init(&prefer);
    pthread_rwlockattr_setkind_np(&prefer, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &prefer);
    pthread_create(&a, 0, report, 0);
    pthread_create(&b, 0, insert, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
