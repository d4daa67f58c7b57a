/* Messages that have arrived in part. On the loop's thread. */
#ifndef CS_PARTIAL_H
#define CS_PARTIAL_H

#include "conn/loop.h"

struct partial { /* a message that has arrived in part */
    size_t count, capacity;
    size_t size;    /* bytes that have arrived; larger than `count` once it is passed over */
    size_t checked; /* bytes known to be whole characters */
    unsigned fragments;
    bool passed_over; /* too long: `bytes` holds only its edges */
    uint8_t *bytes; /* owned */
};

/* Adds bytes to the message that arrives. Returns false when that is too much for the process. `too_long`: only the
   edges of the message are kept. */
bool cs_partial_add(struct conn *conn, const uint8_t *bytes, size_t count, bool too_long);
/* Checks what has come since the last call. The last piece must end with a whole character. */
bool cs_partial_is_text(struct partial *partial, bool last);

void cs_partial_free(struct conn *conn);
size_t cs_partial_count_held(const struct conn *conn);

#endif
