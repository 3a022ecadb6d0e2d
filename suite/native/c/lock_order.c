// Three accounts, each with a lock. A transfer locks the one it takes from and then the one it gives to, so three transfers in a circle wait for each other.
// expect: deadlock
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account accounts[3];

static void transfer(struct account *from, struct account *to) {
    struct account *first = from, *second = to;
#ifdef FIXED
    if (second < first) first = to, second = from;
#endif
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance -= 10;
    to->balance += 10;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *around(void *from) {
    struct account *account = from;
    transfer(account, &accounts[(account - accounts + 1) % 3]);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_mutex_init(&accounts[i].lock, 0);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, around, &accounts[i]);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
