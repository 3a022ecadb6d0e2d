/* Programs that depend on what they get from outside. The first argument says on what. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int first = -1;

static uint64_t nanos(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static uint64_t outside(const char *what) {
    uint64_t value = 0;
    if (!strcmp(what, "clock")) value = nanos(CLOCK_REALTIME);
    if (!strcmp(what, "monotonic")) value = nanos(CLOCK_MONOTONIC);
    if (!strcmp(what, "random") && getrandom(&value, sizeof value, 0) < 0) abort();
    if (!strcmp(what, "file")) {
        int file = open("/dev/urandom", O_RDONLY);
        if (read(file, &value, sizeof value) != sizeof value) abort();
        close(file);
    }
    if (!strcmp(what, "process")) value = getpid();
    return value;
}

static const char *what;
static uint64_t got[2];

static void *asks(void *i) {
    got[(long)i] = outside(what);
    pthread_mutex_lock(&mutex);
    if (first < 0) first = (int)(long)i;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(int count, char **words) {
    what = words[1];
    uint64_t begun = nanos(CLOCK_MONOTONIC);
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, asks, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    if (!strcmp(what, "sleeps")) {
        usleep(50000);
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += 100;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0);
        uint64_t now = nanos(CLOCK_MONOTONIC);
        if (now - begun < 100050000000ull || now - begun > 200000000000ull) abort();
        while (nanos(CLOCK_MONOTONIC) < now + 1000000000000ull) {}
        return kill(getpid(), 0);
    }
    if (first != 1) return 0;
    /* Only where the second thread came first. */
    if (count > 2) {
        FILE *out = fopen(words[2], "a");
        fprintf(out, "%llu\n", (unsigned long long)(nanos(CLOCK_MONOTONIC) - begun));
        fclose(out);
        return 0;
    }
    fprintf(stderr, "got %llu and %llu\n", (unsigned long long)got[0], (unsigned long long)got[1]);
    return 1 + (int)((got[0] ^ got[1]) % 200);
}
