// A stack of numbered nodes. Popping reads the top and its next and swaps them; if the node was popped and pushed again meanwhile, next is stale and a node in use becomes the top.
// expect: panic
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

// The number of the top, and in the fixed version how often it has changed, in the upper half.
static atomic_ulong top;
static atomic_int next[4], users[4];

static int pop(void) {
    unsigned long old = atomic_load(&top), new;
    do {
        int node = old & 0xffff;
        if (!node) return 0;
        new = atomic_load(&next[node]);
#ifdef FIXED
        new |= ((old >> 16) + 1) << 16;
#endif
    } while (!atomic_compare_exchange_strong(&top, &old, new));
    return old & 0xffff;
}

static void push(int node) {
    unsigned long old = atomic_load(&top), new;
    do {
        atomic_store(&next[node], old & 0xffff);
        new = node;
#ifdef FIXED
        new |= ((old >> 16) + 1) << 16;
#endif
    } while (!atomic_compare_exchange_strong(&top, &old, new));
}

// Nobody else has the node meanwhile.
static void use(int node) {
    if (node) assert(atomic_fetch_add(&users[node], 1) == 0);
}

static void *once(void *unused) {
    use(pop());
    return unused;
}

int main(void) {
    pthread_t thread;
    push(2);
    push(1);
    pthread_create(&thread, 0, once, 0);
    int first = pop();
    use(pop());
    if (first) push(first);
    use(pop());
    pthread_join(thread, 0);
    return 0;
}
