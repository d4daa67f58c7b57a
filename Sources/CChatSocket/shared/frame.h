/* Server frames, and the pieces in which they are written. Any thread. */
#ifndef CS_FRAME_H
#define CS_FRAME_H

#include "chatsocket.h"

#include <stdatomic.h>
#include <sys/uio.h>

struct chatsock_frame {
    atomic_uint references; /* the last release frees the frame */
    size_t size;
    uint64_t since;        /* ns; 0: not known. Written before the frame is shared */
    chatsock_frame *whole; /* holds a reference; owner of the bytes between header and end. NULL: all bytes are here */
    struct iovec shared; /* valid while `whole` is held */
    size_t header;
    uint8_t bytes[]; /* the header, then the whole text, or only what comes after the shared part */
};

enum { CS_FRAME_PARTS = 3 };
/* Fills `parts` with the places of the frame's bytes, except the first `from` of them. Returns the number of parts,
   which are valid as long as the frame is. */
size_t cs_frame_get_parts(const chatsock_frame *frame, size_t from, struct iovec *parts);

/* Bytes that must leave without others in between: all of a short frame, or one fragment of a long one. */
struct piece {
    struct iovec parts[1 + CS_FRAME_PARTS];
    size_t count, bytes;
    size_t next; /* the offset of the next piece in the frame; the frame's size after the last one */
};
enum { CS_PIECE_HEADER = 4 };
/* The piece at byte `from` of the frame, which is 0 or the `next` of another piece. Its parts are valid as long as the
   frame and `header`, into which they may point. */
void cs_frame_get_piece(const chatsock_frame *frame, size_t from, uint8_t *header, struct piece *piece);

/* Makes a server frame with any first byte (FIN and opcode). The caller owns one reference. NULL: out of memory. */
chatsock_frame *cs_frame_new(uint8_t first, const void *payload, size_t count);

#endif
