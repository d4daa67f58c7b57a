/* A definition in the program takes the place of the C library's, also for the libraries that it is linked with. */
#define _GNU_SOURCE
#include "mute_resolver.h"

#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static bool is_mute(const char *name) {
    static const char end[] = ".mute.invalid";
    size_t count = name ? strlen(name) : 0;
    return count >= sizeof end && !strcmp(name + count - (sizeof end - 1), end);
}

static atomic_uint given_up;

void mute_resolver_give_up(void) {
    atomic_fetch_add(&given_up, 1);
}

int getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
                struct addrinfo **restrict found) {
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    *(void **)&next = dlsym(RTLD_NEXT, "getaddrinfo");
    if (is_mute(name)) {
        for (unsigned begin = given_up; given_up == begin;)
            usleep(10000);
        return EAI_AGAIN;
    }
    return next(name, service, hints, found);
}
