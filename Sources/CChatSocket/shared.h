/* The parts that the server and the client share. They depend on neither. */
#ifndef CS_SHARED_H
#define CS_SHARED_H

#include "chatsocket.h"

#include <libwebsockets.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <uv.h>

#define CS_PROTOCOL "diffroom.v1.json"
enum { CS_REASON_BYTES = 123 }; /* of a close frame */

/* ---- frames (any thread) ---- */

struct chatsock_frame {
    atomic_uint references;
    size_t size;
    uint64_t since; /* ns; 0: not known. Written before the frame is shared */
    chatsock_frame *whole; /* holds a reference; owner of the bytes between header and end. NULL: all bytes are here */
    struct iovec shared;
    size_t header;
    uint8_t bytes[]; /* the header, then the whole text, or only what comes after the shared part */
};

enum { CS_FRAME_PARTS = 3 };
/* Fills `parts` with the places of the frame's bytes, except the first `from` of them. Returns the number of parts. */
size_t cs_frame_get_parts(const chatsock_frame *frame, size_t from, struct iovec *parts);

/* Bytes that must leave without others in between: all of a short frame, or one fragment of a long one. */
struct piece {
    struct iovec parts[1 + CS_FRAME_PARTS];
    size_t count, bytes;
    size_t next; /* the offset of the next piece in the frame; the frame's size after the last one */
};
enum { CS_PIECE_HEADER = 4 };
/* The piece at byte `from` of the frame, which is 0 or the `next` of another piece. Its parts may point into
   `header`. */
void cs_frame_get_piece(const chatsock_frame *frame, size_t from, uint8_t *header, struct piece *piece);

/* Makes a server frame with any first byte (FIN and opcode). Returns NULL when out of memory. */
chatsock_frame *cs_frame_new(uint8_t first, const void *payload, size_t count);

/* ---- a queue of bytes, oldest first (bytes.c) ---- */

struct bytes {
    uint8_t *data;
    size_t from, count, room;
};

bool cs_bytes_add(struct bytes *bytes, const void *more, size_t count); /* false: out of memory */
void cs_bytes_drop(struct bytes *bytes, size_t count);
void cs_bytes_free(struct bytes *bytes);

/* ---- logs ---- */

struct mark { /* one frame of a log */
    uint64_t end, revision;
};

/* Frames back to back. Positions count from the first byte ever appended: byte `base` is bytes[0], and frame number
   `first` is marks[0]. */
struct log {
    uint8_t *bytes;
    struct mark *marks;
    uint64_t base, end, first, next; /* bytes [base, end), frames [first, next) */
    uint64_t base_revision;          /* of the frame before `first` */
    size_t capacity, mark_capacity;
};

bool cs_log_push(struct log *log, const chatsock_frame *frame, uint64_t revision);
/* The byte where frame `number` begins; `number` in [first, next]. */
static inline uint64_t cs_log_start(const struct log *log, uint64_t number) {
    return number == log->first ? log->base : log->marks[number - log->first - 1].end;
}
/* The revision that a reader holds whose next frame is `number`. */
static inline uint64_t cs_log_revision(const struct log *log, uint64_t number) {
    return number == log->first ? log->base_revision : log->marks[number - log->first - 1].revision;
}
/* The first frame that begins at byte `at` or later; `at` in [base, end]. */
uint64_t cs_log_frame_at(const struct log *log, uint64_t at);
/* Forgets the frames before `number`. Frees the memory when no frame is left. */
void cs_log_drop(struct log *log, uint64_t number);

/* ---- libwebsockets ---- */

struct pipe { /* the event pipe of a context (pipe.c) */
    uv_handle_t *handle;
    struct lws *wsi;
};

/* Call it right after a context was made on `loop`, while the context has no other socket. */
void cs_pipe_find(struct pipe *pipe, uv_loop_t *loop);
/* Call it right after lws_context_destroy() has begun. */
void cs_pipe_clear_descriptor(struct pipe *pipe);

/* context.c: held while a libwebsockets context is created or destroyed, because both touch process-wide state. */
void cs_context_lock(void);
void cs_context_unlock(void);

/* headers.c: copies a header's value into `buffer`; NULL when it is absent. *bad: it does not fit or holds a NUL. */
const char *cs_lws_header_copy(struct lws *wsi, enum lws_token_indexes token, char *buffer, size_t size, bool *bad);
/* True when the header is present but empty. cs_lws_header_copy() does not tell that from an absent header. */
bool cs_lws_header_is_empty(struct lws *wsi, enum lws_token_indexes token);
/* True when the comma-separated `list` contains `token`, in any case. */
bool cs_token_list_contains(const char *list, const char *token);

/* lws_log.c */
typedef void cs_lws_log_sink(void *context, const char *line);
/* Takes over the warnings and errors that libwebsockets logs. */
void cs_lws_log_open(void);
/* Sets where those of this thread go. NULL, as at first: nowhere. */
void cs_lws_log_set_sink(cs_lws_log_sink *to, void *context);

/* utf8.c: counts the leading bytes that are whole characters. `*broken`: the bytes after them can never become one. */
size_t cs_utf8_scan(const uint8_t *bytes, size_t count, bool *broken);
/* Copies at most CS_REASON_BYTES, whole characters only, and a final 0. */
void cs_reason_copy(char *to, const char *reason);

/* ---- time ---- */

/* The time during which a loop was able to read. While the process is stopped, the machine sleeps or one turn takes
   long, peers may send what is not read. That is not silence on their side, so the clock stands still meanwhile. It
   must be read more often than every `most` milliseconds. */
struct cs_clock {
    uint64_t seen, lost; /* ms: when it was last read, and how long it stood still in total */
    uint64_t most;       /* ms: a longer interval between two reads counts as a pause */
    uint64_t known;      /* `lost` at the last tick */
    bool waits;          /* the last tick was put off */
};

static inline void cs_clock_start(struct cs_clock *clock, const uv_loop_t *loop, uint64_t most) {
    *clock = (struct cs_clock){.seen = uv_now(loop), .most = most};
}

static inline uint64_t cs_clock_now(struct cs_clock *clock, const uv_loop_t *loop) {
    uint64_t now = uv_now(loop), passed = now - clock->seen;
    clock->lost += passed > clock->most ? passed - clock->most : 0;
    clock->seen = now;
    return now - clock->lost;
}

/* Called at a tick. True after a pause: the loop first reads what came meanwhile, and checks for silence at the
   next. */
static inline bool cs_clock_tick(struct cs_clock *clock, const uv_loop_t *loop) {
    cs_clock_now(clock, loop);
    clock->waits = clock->lost != clock->known && !clock->waits;
    clock->known = clock->lost;
    return clock->waits;
}

#endif
