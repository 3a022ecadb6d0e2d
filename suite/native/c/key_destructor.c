// What a thread leaves behind is counted by the destructor of its thread-specific value, which runs when the thread ends: after the thread has said that it is done.
// expect: panic
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_key_t key;
static atomic_int ended;
static sem_t done;

static void leave(void *value) { atomic_fetch_add((atomic_int *)value, 1); }

static void *work(void *unused) {
    pthread_setspecific(key, &ended);
    sem_post(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_key_create(&key, leave);
    pthread_create(&thread, 0, work, 0);
    sem_wait(&done);
#ifdef FIXED
    pthread_join(thread, 0);
#endif
    assert(atomic_load(&ended) == 1);
#ifndef FIXED
    pthread_join(thread, 0);
#endif
    return 0;
}
