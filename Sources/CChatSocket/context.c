/* Contexts of libwebsockets, the server's and the client's: one at a time is created or destroyed. */
#include "shared.h"

#include <pthread.h>

static pthread_mutex_t creation = PTHREAD_MUTEX_INITIALIZER;

void cs_context_lock(void) {
    pthread_mutex_lock(&creation);
}

void cs_context_unlock(void) {
    pthread_mutex_unlock(&creation);
}
