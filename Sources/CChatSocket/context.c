/* Serialises the creation and destruction of libwebsockets contexts, of servers and clients alike. */
#include "shared.h"

#include <pthread.h>

static pthread_mutex_t creation = PTHREAD_MUTEX_INITIALIZER;

void cs_context_lock(void) {
    pthread_mutex_lock(&creation);
}

void cs_context_unlock(void) {
    pthread_mutex_unlock(&creation);
}
