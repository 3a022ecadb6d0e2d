/* Programs that do what cannot be controlled, or is easily got wrong. The first argument chooses one. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *x) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return x;
}

static int deeper(int n) {
    volatile char room[4096];
    room[0] = (char)n;
    return deeper(n + 1) + room[0];
}

int main(int count, char **argument) {
    const char *which = count > 1 ? argument[1] : "";
    pthread_t t;
    if (!strcmp(which, "nothing"))
        return 0;
    pthread_create(&t, 0, work, 0);
    if (!strcmp(which, "fork") && fork() == 0)
        _exit(0);
    if (!strcmp(which, "system"))
        return system("true");
    if (!strcmp(which, "exec"))
        execl("/bin/true", "true", (char *)0);
    if (!strcmp(which, "spin"))
        for (;;)
            ;
    if (!strcmp(which, "pipe")) {
        int ends[2];
        char byte;
        return pipe(ends) || read(ends[0], &byte, 1) < 0;
    }
    if (!strcmp(which, "deep"))
        return deeper(0);
    if (!strcmp(which, "kill"))
        kill(getpid(), SIGTERM);
    if (!strcmp(which, "print"))
        for (int i = 0; i < 2000000; i++)
            puts("a line that is printed again and again");
    if (!strcmp(which, "many")) {
        pthread_t all[1000];
        for (int i = 0; i < 1000; i++)
            if (pthread_create(&all[i], 0, work, 0))
                return 1;
        for (int i = 0; i < 1000; i++)
            pthread_join(all[i], 0);
    }
    if (!strcmp(which, "circle"))
        for (;;)
            work(0);
    pthread_join(t, 0);
    return 0;
}
