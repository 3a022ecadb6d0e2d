/* What a process is known by, and random numbers from files, are the same in every execution: what depends on them repeats itself. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *locks(void *x) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return x;
}

int main(void) {
    unsigned char bytes[8], more[8];
    int file = open("/dev/urandom", O_RDONLY);
    assert(read(file, bytes, sizeof bytes) == sizeof bytes);
    close(file);
    FILE *stream = fopen("/dev/random", "r");
    assert(stream && fread(more, 1, sizeof more, stream) == sizeof more);
    fclose(stream);
    assert(getpid() == gettid());
    pthread_t t;
    pthread_create(&t, 0, locks, 0);
    /* As many steps as the numbers say. */
    for (int i = 0; i < 1 + (bytes[0] + more[0] + getpid()) % 4; i++) locks(0);
    pthread_join(t, 0);
    return 0;
}
