/* Two counters that are read and written in two steps each, one plain and one atomic, and a flag. What came of it is added to the file that
   the second argument names. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int a, b, flag;
static int plain;

static void *adds(void *i) {
    int now = atomic_load(&a);
    atomic_store(&a, now + 1);
    now = atomic_load(&b);
    atomic_store(&b, now + 1);
    plain = plain + 1;
    return i;
}

static void *waits(void *i) {
    if (i) {
        while (!atomic_load(&flag)) {}
        atomic_store(&b, atomic_load(&a));
    } else {
        atomic_store(&a, 1);
        atomic_store(&flag, 1);
        atomic_store(&a, 2);
    }
    return 0;
}

static void *both(void *i) {
    if (i) {
        while (!atomic_load(&a) && !atomic_load(&flag)) {}
    } else {
        atomic_store(&flag, 1);
    }
    return 0;
}

int main(int count, char **words) {
    pthread_t t[2];
    void *(*body)(void *) = !strcmp(words[1], "adds") ? adds : !strcmp(words[1], "waits") ? waits : both;
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, body, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    FILE *out = count > 2 ? fopen(words[2], "a") : 0;
    if (out) {
        fprintf(out, "%d %d %d\n", a, b, plain);
        fclose(out);
    }
    return 0;
}
