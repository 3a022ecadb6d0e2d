// A message is published with fences and a relaxed flag. The writer's fence is on the wrong side of the flag, so that it orders nothing.
// expect: data race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int message;
static atomic_int there;

static void *reader(void *unused) {
    if (atomic_load_explicit(&there, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        assert(message == 42);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    message = 42;
#ifdef FIXED
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&there, 1, memory_order_relaxed);
#ifndef FIXED
    atomic_thread_fence(memory_order_release);
#endif
    pthread_join(thread, 0);
    return 0;
}
