/* What both sides of a connection are made of, the server's and the client's. It knows neither. */
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
    uint64_t since; /* ns; 0: not known. Written before anybody shares it */
    chatsock_frame *whole; /* holds a reference; what stands between header and end is its. NULL: all is here */
    struct iovec shared;
    size_t header;
    uint8_t bytes[]; /* the header, and what follows it or what is shared */
};

enum { CS_FRAME_PARTS = 3 };
/* Where its bytes lie, but the first `from` of them; returns how many parts that are. */
size_t cs_frame_parts(const chatsock_frame *frame, size_t from, struct iovec *parts);

/* What goes out with nothing of others in between: all of a short frame, or one fragment of a long one. */
struct piece {
    struct iovec parts[1 + CS_FRAME_PARTS];
    size_t count, bytes;
    size_t next; /* where in the frame the next one begins; its size: there is none */
};
enum { CS_PIECE_HEADER = 4 };
/* The piece from byte `from` of the frame, which is 0 or another's `next`. Its parts may lie in `header`. */
void cs_frame_piece(const chatsock_frame *frame, size_t from, uint8_t *header, struct piece *piece);

/* A server frame with any first byte (FIN and opcode); NULL when out of memory. */
chatsock_frame *cs_frame_new(uint8_t first, const void *payload, size_t count);

/* ---- bytes that wait, oldest first (bytes.c) ---- */

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

/* Frames back to back. Positions are counted from the beginning of time: byte `base` is bytes[0], and frame number
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
/* The revision a reader holds that wants frame `number` next. */
static inline uint64_t cs_log_revision(const struct log *log, uint64_t number) {
    return number == log->first ? log->base_revision : log->marks[number - log->first - 1].revision;
}
/* The first frame that begins at byte `at` or later; `at` in [base, end]. */
uint64_t cs_log_frame_at(const struct log *log, uint64_t at);
/* Forgets the frames before `number`. All of them: gives the memory back. */
void cs_log_drop(struct log *log, uint64_t number);

/* ---- libwebsockets ---- */

struct pipe { /* pipe.c: the event pipe of a context */
    uv_handle_t *handle;
    struct lws *wsi;
};

/* Right after a context was made on `loop`, while it has no other socket. */
void cs_pipe_find(struct pipe *pipe, uv_loop_t *loop);
/* Right after lws_context_destroy() has begun. */
void cs_pipe_forget(struct pipe *pipe);

/* context.c: around every creation and destruction of a libwebsockets context: they touch state of the whole process. */
void cs_context_lock(void);
void cs_context_unlock(void);

/* headers.c: a header's value in `buffer`, or NULL when it is not there; *bad when it does not fit or holds a NUL */
const char *cs_header(struct lws *wsi, enum lws_token_indexes token, char *buffer, size_t size, bool *bad);
/* It is there, and says nothing; cs_header() tells that not from one that is not there. */
bool cs_header_is_empty(struct lws *wsi, enum lws_token_indexes token);
const char *cs_custom_header(struct lws *wsi, const char *name, char *buffer, size_t size, bool *bad);
const char *cs_query(struct lws *wsi, char *buffer, size_t size, bool *too_long);

/* logging.c */
void cs_log_setup(void);

/* utf8.c: how many leading bytes are whole characters; `*broken` when what follows can never become one */
size_t cs_utf8_scan(const uint8_t *bytes, size_t count, bool *broken);
/* Copies at most CS_REASON_BYTES, whole characters only, and a final 0 */
void cs_copy_reason(char *to, const char *reason);

/* ---- time ---- */

/* Time as a loop spends it. While a process is stopped, its machine sleeps or one turn takes long, peers say what nobody
   reads: that is no silence of theirs, so the clock stands still. It has to be peeked at more often than `most`. */
struct cs_clock {
    uint64_t seen, lost; /* ms: when it was last peeked at, and how long it stood still in all */
    uint64_t most;       /* ms: what is not taken for a pause */
    uint64_t known;      /* of `lost`, at the last tick */
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

/* At a tick: whether what came during a pause is to be read first, and who is silent peeked for at the next one. */
static inline bool cs_clock_waits(struct cs_clock *clock, const uv_loop_t *loop) {
    cs_clock_now(clock, loop);
    clock->waits = clock->lost != clock->known && !clock->waits;
    clock->known = clock->lost;
    return clock->waits;
}

#endif
