/* A definition in the program takes the place of the C library's, also for the libraries that it is linked with. */
#define _GNU_SOURCE
#include "mute_resolver.h"

#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static bool is_mute(const char *name) {
    static const char end[] = ".mute.invalid";
    size_t count = name ? strlen(name) : 0;
    return count >= sizeof end && !strcmp(name + count - (sizeof end - 1), end);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned given_up;

void mute_resolver_give_up(void) {
    pthread_mutex_lock(&lock);
    given_up++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

int getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
                struct addrinfo **restrict found) {
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    *(void **)&next = dlsym(RTLD_NEXT, "getaddrinfo");
    if (is_mute(name)) {
        pthread_mutex_lock(&lock);
        for (unsigned begin = given_up; given_up == begin;)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
        return EAI_AGAIN;
    }
    return next(name, service, hints, found);
}
