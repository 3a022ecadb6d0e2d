// As in pbzip2 0.9.4: main frees the queue as soon as it is empty, while the worker that emptied it has yet to signal that.
// expect: use after free
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int jobs;
};

static void *worker(void *argument) {
    struct queue *queue = argument;
    pthread_mutex_lock(&queue->lock);
    queue->jobs--;
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_signal(&queue->changed);
    return 0;
}

int main(void) {
    pthread_t thread;
    struct queue *queue = calloc(1, sizeof *queue);
    pthread_mutex_init(&queue->lock, 0);
    pthread_cond_init(&queue->changed, 0);
    queue->jobs = 1;
    pthread_create(&thread, 0, worker, queue);
    pthread_mutex_lock(&queue->lock);
    while (queue->jobs) pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
#ifdef FIXED
    pthread_join(thread, 0);
#endif
    free(queue);
#ifndef FIXED
    pthread_join(thread, 0);
#endif
    return 0;
}
