// A bounded buffer of one slot. The consumer takes the lock and then waits for an item; the producer needs the lock to put one in.
// expect: deadlock
#include <pthread.h>
#include <semaphore.h>

static sem_t items, room, lock;
static int slot, sum;

static void *produce(void *unused) {
    for (int i = 1; i <= 2; i++) {
        sem_wait(&room);
        sem_wait(&lock);
        slot = i;
        sem_post(&lock);
        sem_post(&items);
    }
    return unused;
}

static void *consume(void *unused) {
    for (int i = 1; i <= 2; i++) {
#ifdef FIXED
        sem_wait(&items);
        sem_wait(&lock);
#else
        sem_wait(&lock);
        sem_wait(&items);
#endif
        sum += slot;
        sem_post(&lock);
        sem_post(&room);
    }
    return unused;
}

int main(void) {
    pthread_t producer, consumer;
    sem_init(&items, 0, 0);
    sem_init(&room, 0, 1);
    sem_init(&lock, 0, 1);
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&consumer, 0, consume, 0);
    pthread_join(producer, 0);
    pthread_join(consumer, 0);
    return sum != 3;
}
