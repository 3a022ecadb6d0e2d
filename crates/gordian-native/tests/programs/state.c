/* Programs that would do something else if they were run again in one process. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int runs;
static int data[5000] = {7};
static __thread int mine = 3;
static char *kept;
static int order;

static void *adds(void *x) {
    assert(mine == 3);
    mine++;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        data[4999]++;
        pthread_mutex_unlock(&lock);
    }
    return x;
}

static void *first(void *x) {
    pthread_mutex_lock(&lock);
    if (!order) order = *(int *)x;
    pthread_mutex_unlock(&lock);
    return x;
}

static void at_end(void) { runs++; }

static void two(void *(*body)(void *)) {
    static int numbers[2] = {1, 2};
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, body, &numbers[i]);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(t[i], &result);
        assert(result == &numbers[i]);
    }
}

int main(int n, char **arguments) {
    const char *which = n > 1 ? arguments[1] : "";
    assert(runs == 0);
    if (!strcmp(which, "memory")) {
        assert(!kept && mine == 3 && data[0] == 7 && data[4999] == 0);
        assert(!getenv("GORDIAN_STATE"));
        setenv("GORDIAN_STATE", "1", 1);
        kept = malloc(100000);
        memset(kept, 1, 100000);
        mine = 4;
        data[0] = 8;
        printf("a line that stays in the buffer");
        atexit(at_end);
        two(adds);
        assert(data[4999] == 6);
        runs++;
    }
    if (!strcmp(which, "threads")) {
        two(adds);
        two(adds);
    }
    if (!strcmp(which, "descriptor")) {
        assert(dup(0) < 10);
        two(adds);
    }
    if (!strcmp(which, "umask")) {
        if (umask(0123) == 0123) pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock);
        two(adds);
    }
    if (!strcmp(which, "sometimes")) {
        two(first);
        assert(order == 1);
    }
    return 0;
}
