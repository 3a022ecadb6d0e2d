// A message is published by a relaxed store to a flag, which orders nothing: who sees the flag need not see the message.
// expect: data race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define PUBLISH memory_order_release
#define LOOK memory_order_acquire
#else
#define PUBLISH memory_order_relaxed
#define LOOK memory_order_relaxed
#endif

static int message;
static atomic_int there;

static void *reader(void *unused) {
    if (atomic_load_explicit(&there, LOOK)) assert(message == 42);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    message = 42;
    atomic_store_explicit(&there, 1, PUBLISH);
    pthread_join(thread, 0);
    return 0;
}
