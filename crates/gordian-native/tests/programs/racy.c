/* Programs that race. The first argument says which; what came of it is added to the file that the second names. With RELAXED they do the
   same with relaxed atomics. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef RELAXED
#define SHARED(type) _Atomic(type)
#define GET(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define SET(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)
#else
#define SHARED(type) type
#define GET(x) (x)
#define SET(x, v) ((x) = (v))
#endif

static SHARED(int) x, y, turn, want[2];
static SHARED(_Bool) flag;
static SHARED(char) small[2];
static int got[4];
static atomic_int line;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;

static void run(int count, void *(*body)(void *)) {
    pthread_t t[4];
    for (long i = 0; i < count; i++) pthread_create(&t[i], 0, body, (void *)i);
    for (int i = 0; i < count; i++) pthread_join(t[i], 0);
}

static void *buffers(void *i) {
    SET(*(i ? &x : &y), 1);
    got[(long)i] = GET(*(i ? &y : &x));
    return 0;
}

static void *counts(void *i) {
    for (int k = 0; k < 2; k++) {
        int now = GET(x);
        SET(x, now + 1);
    }
    return i;
}

static void *three(void *i) {
    int now = GET(x);
    SET(x, now * 2 + (int)(long)i);
    return 0;
}

static void *passes(void *i) {
    if (!i) {
        SET(x, 1);
        SET(flag, 1);
    } else {
        while (!GET(flag)) {}
        got[0] = GET(x);
    }
    return 0;
}

static void *peterson(void *i) {
    int me = (int)(long)i;
    SET(want[me], 1);
    SET(turn, 1 - me);
    while (GET(want[1 - me]) && GET(turn) == 1 - me) {}
    int now = GET(x);
    SET(x, now + 1);
    SET(want[me], 0);
    return 0;
}

static void *neighbours(void *i) {
    SET(small[(long)i], 1);
    got[(long)i] = GET(small[1 - (long)i]);
    return 0;
}

/* The pointer is protected, what is behind it is not. */
static SHARED(int) *box;
static void *boxes(void *i) {
    pthread_mutex_lock(&mutex);
    if (!box) box = calloc(1, sizeof *box);
    pthread_mutex_unlock(&mutex);
    int now = GET(*box);
    SET(*box, now + 1 + (int)(long)i);
    return 0;
}

static void *peeks(void *i) {
    if (i) {
        got[1] = GET(x);
        got[2] = GET(x);
        return 0;
    }
    pthread_mutex_lock(&mutex);
    SET(x, 1);
    SET(x, 2);
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *mixes(void *i) {
    if (i) {
        got[0] = GET(x);
        atomic_store(&line, 1);
        got[1] = GET(y);
    } else {
        SET(y, 1);
        got[2] = atomic_load(&line);
        SET(x, 1);
    }
    return 0;
}

static struct { const char *name; int count; void *(*body)(void *); } cases[] = {
    {"buffers", 2, buffers}, {"counts", 2, counts},         {"three", 3, three}, {"passes", 2, passes},
    {"peterson", 2, peterson}, {"neighbours", 2, neighbours}, {"boxes", 2, boxes}, {"peeks", 2, peeks},
    {"mixes", 2, mixes},
};

#ifndef RELAXED
/* Races that do no harm, and a bug behind them. */

static int statistics, ready, balance = 10;

static void *takes(void *i) {
    statistics++;
    pthread_mutex_lock(&mutex);
    int now = balance;
    pthread_mutex_unlock(&mutex);
    if (now >= 10) {
        pthread_mutex_lock(&mutex);
        balance -= 10;
        pthread_mutex_unlock(&mutex);
    }
    return i;
}

static void *waits(void *i) {
    if (i) {
        while (!ready) {}
        assert(x == 2);
    } else {
        x = 1;
        ready = 1;
        x = 2;
    }
    return 0;
}

static void *never(void *i) {
    if (i) {
        while (!ready && !flag) {}
    } else {
        flag = x;
    }
    return 0;
}

static void *copies(void *i) {
    static struct { long words[40]; } text, copy[2], mine[2] = {{{1, 1}}, {{2, 2}}};
    text = mine[(long)i];
    copy[(long)i] = text;
    if (i) assert(copy[1].words[1] == 2);
    return 0;
}

static void *frees(void *i) {
    static int *block;
    pthread_mutex_lock(&mutex);
    if (!block) block = calloc(1, sizeof *block);
    pthread_mutex_unlock(&mutex);
    if (i) return (void *)(long)*block;
    free(block);
    return 0;
}
#endif

int main(int count, char **words) {
    assert(count > 1);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        if (strcmp(words[1], cases[i].name)) continue;
        run(cases[i].count, cases[i].body);
        if (count > 2 && (out = fopen(words[2], "a"))) {
            int boxed = box ? GET(*box) : 0;
            fprintf(out, "%d %d %d %d %d %d\n", GET(x), GET(y), got[0], got[1], got[2], boxed);
            fclose(out);
        }
        return 0;
    }
#ifndef RELAXED
    if (!strcmp(words[1], "takes")) {
        run(2, takes);
        assert(balance >= 0);
    }
    if (!strcmp(words[1], "waits")) run(2, waits);
    if (!strcmp(words[1], "never")) run(2, never);
    if (!strcmp(words[1], "copies")) run(2, copies);
    if (!strcmp(words[1], "frees")) run(2, frees);
#endif
    return 0;
}
