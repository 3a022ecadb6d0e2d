/* Measured by the benchmark of native programs. The first argument says what is done. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static atomic_int atomic_count;
int plain[64]; /* not static: the writes to it stay */

/* 20 ops. */
static void *locks(void *x) {
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    return x;
}

static void *nothing(void *x) { return x; }

static void run(int threads, void *(*body)(void *)) {
    pthread_t t[8];
    for (int i = 0; i < threads; i++) pthread_create(&t[i], 0, body, 0);
    for (int i = 0; i < threads; i++) pthread_join(t[i], 0);
}

/* How often a hook is called that does not switch. */
enum { OFTEN = 200000 };

int main(int n, char **arguments) {
    const char *which = n > 1 ? arguments[1] : "";
    if (!strcmp(which, "locks")) run(3, locks);
    if (!strcmp(which, "threads")) run(3, nothing);
    if (!strcmp(which, "plain")) {
        run(1, nothing);
        for (int i = 0; i < OFTEN; i++) plain[i % 64] = i;
    }
    if (!strcmp(which, "trusted")) {
        run(1, nothing);
        for (int i = 0; i < OFTEN; i++) atomic_fetch_add(&atomic_count, 1);
    }
    if (!strcmp(which, "empty")) run(1, nothing);
    return 0;
}
