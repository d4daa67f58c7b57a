/* Corks: writing waits a little, so that the frames that come next leave in the same write. */
#include "server.h"

static void on_expiry(uv_timer_t *handle) {
    struct loop *loop = handle->data;
    loop->cork_expired = true;
    loop->corked = false;
}

/* The wait is worth while up to the duration of a round of writing: it saves a round, or most of its system calls.
   Under load the loop then reads again sooner, too, because it writes less in all. */
void cs_loop_cork(struct loop *loop) {
    if (loop->cork_expired || loop->destroying)
        return;
    loop->corked = true;
    if (loop->cork_started)
        return;
    loop->cork_started = true;
    uint64_t most = CS_CORK_TIMES * loop->writing_ms;
    if (most < CS_CORK_MS || most > CS_CORK_MOST_MS)
        most = most ? CS_CORK_MOST_MS : CS_CORK_MS;
    uv_timer_start(&loop->cork_timer, on_expiry, most, 0);
}

void cs_loop_uncork(struct loop *loop) {
    loop->corked = false;
}
