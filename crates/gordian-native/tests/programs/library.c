/* What functions of the C library do to memory for code with hooks. The first argument chooses a case; a second one puts it under a lock. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char text[64] = "before", other[64];
static const char *which;
static int fixed, count;
static volatile int sink;

static int is(const char *name) {
    return !strcmp(which, name);
}

static void uses(int first) {
    char local[64] = "after";
    if (fixed)
        pthread_mutex_lock(&m);
    if (first) {
        /* Reads, or writes to a part. */
        if (is("memcpy"))
            memcpy(local, text, count);
        else if (is("memmove"))
            memmove(local, text, count);
        else if (is("memset"))
            memset(text + 32, 0, count / 2);
        else if (is("memcmp"))
            sink = memcmp(text, other, count);
        else if (is("strlen"))
            sink = strlen(text);
        else if (is("strcpy"))
            strcpy(text, local);
        else if (is("strcat"))
            strcat(text, local);
        else if (is("strcmp"))
            sink = strcmp(text, local);
        else if (is("first difference"))
            /* What lies behind it is not looked at. */
            sink = memcmp(text + 1, local, count - 1) + strcmp(text + 1, local);
    } else {
        text[is("memset") ? 40 : is("first difference") ? 5 : 0] = 'x';
    }
    /* What was copied is used, for all that the compiler knows. */
    __asm__ volatile("" : : "r"(local) : "memory");
    if (fixed)
        pthread_mutex_unlock(&m);
}

static void *in_a_thread(void *x) {
    uses(0);
    return x;
}

int main(int arguments, char **argument) {
    pthread_t t;
    which = argument[1];
    fixed = arguments > 2;
    /* No constant, or the compiler does it itself, without a hook. */
    count = sizeof text - (arguments > 9);
    pthread_create(&t, 0, in_a_thread, 0);
    uses(1);
    pthread_join(t, 0);
    assert(strlen(text) < sizeof text && !memcmp("ab", "abc", 2) && strcmp("a", "b") < 0 && strcmp("", "") == 0);
    char copy[8] = "a";
    assert(strcat(copy, "bc") == copy && strcpy(copy + 4, "d") == copy + 4 && !strcmp(copy, "abc"));
    return 0;
}
