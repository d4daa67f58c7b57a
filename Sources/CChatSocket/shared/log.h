/* The outgoing log of one topic on one loop. On the loop's thread. */
#ifndef CS_LOG_H
#define CS_LOG_H

#include "chatsocket.h"

struct mark { /* one frame of a log */
    uint64_t end, revision;
};

/* Frames back to back. Positions count from the first byte ever appended: byte `base` is bytes[0], and frame number
   `first` is marks[0]. The log owns both arrays, and each push or drop may move them. */
struct log {
    uint8_t *bytes;
    struct mark *marks;
    uint64_t base, end, first, next; /* bytes [base, end), frames [first, next) */
    uint64_t base_revision;          /* of the frame before `first` */
    size_t capacity, mark_capacity;
};

/* Copies the frame. False: out of memory, and the log is unchanged. */
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
/* Drops the frames before `number`. Frees the memory when no frame is left. */
void cs_log_drop(struct log *log, uint64_t number);

#endif
