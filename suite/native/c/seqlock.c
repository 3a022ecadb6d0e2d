// Two numbers that belong together, read without a lock: the sequence number is odd while they are written. The reader looks at it before, but not after.
// expect: panic
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int low, high;

static void *writer(void *unused) {
    atomic_fetch_add(&sequence, 1);
    atomic_store(&low, 1);
    atomic_store(&high, 1);
    atomic_fetch_add(&sequence, 1);
    return unused;
}

static void *reader(void *unused) {
    unsigned before = atomic_load(&sequence);
    if (before % 2) return unused;
    int l = atomic_load(&low), h = atomic_load(&high);
#ifdef FIXED
    if (atomic_load(&sequence) != before) return unused;
#endif
    assert(l == h);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
