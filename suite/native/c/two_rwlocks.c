// A list and an index, each with a readers-writer lock. Who reads one may have to write to the other: two threads that read one each and write the other wait for each other.
// expect: deadlock
#include <pthread.h>

static pthread_rwlock_t list_lock = PTHREAD_RWLOCK_INITIALIZER, index_lock = PTHREAD_RWLOCK_INITIALIZER;
static int list = 1, index_of_list;

static void *rebuild_index(void *unused) {
    pthread_rwlock_rdlock(&list_lock);
    pthread_rwlock_wrlock(&index_lock);
    index_of_list = list;
    pthread_rwlock_unlock(&index_lock);
    pthread_rwlock_unlock(&list_lock);
    return unused;
}

static void *drop_unindexed(void *unused) {
#ifdef FIXED
    pthread_rwlock_wrlock(&list_lock);
    pthread_rwlock_rdlock(&index_lock);
#else
    pthread_rwlock_rdlock(&index_lock);
    pthread_rwlock_wrlock(&list_lock);
#endif
    list = index_of_list;
    pthread_rwlock_unlock(&list_lock);
    pthread_rwlock_unlock(&index_lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, rebuild_index, 0);
    pthread_create(&b, 0, drop_unindexed, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
