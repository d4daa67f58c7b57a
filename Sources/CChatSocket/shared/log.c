/* The outgoing log of one topic on one loop: encoded frames back to back, and the end of each. */
#include "shared/log.h"
#include "shared/frame.h"

#include <stdlib.h>
#include <string.h>

static bool grow(void **block, size_t *capacity, size_t needed, size_t unit, size_t least) {
    size_t wanted = *capacity ? *capacity : least;
    if (needed <= *capacity)
        return true;
    while (wanted < needed)
        wanted *= 2;
    void *moved = realloc(*block, wanted * unit);
    if (!moved)
        return false;
    *block = moved;
    *capacity = wanted;
    return true;
}

bool cs_log_push(struct log *log, const chatsock_frame *frame, uint64_t revision) {
    size_t used = (size_t)(log->end - log->base), frames = (size_t)(log->next - log->first);
    if (!grow((void **)&log->bytes, &log->capacity, used + frame->size, 1, 512) ||
        !grow((void **)&log->marks, &log->mark_capacity, frames + 1, sizeof *log->marks, 4))
        return false;
    struct iovec parts[CS_FRAME_PARTS];
    size_t count = cs_frame_get_parts(frame, 0, parts);
    for (size_t i = 0; i < count; used += parts[i++].iov_len)
        memcpy(log->bytes + used, parts[i].iov_base, parts[i].iov_len);
    log->end += frame->size;
    log->marks[frames] = (struct mark){.end = log->end, .revision = revision};
    log->next++;
    return true;
}

uint64_t cs_log_frame_at(const struct log *log, uint64_t at) {
    uint64_t low = log->first, high = log->next;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (cs_log_start(log, middle) >= at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void cs_log_drop(struct log *log, uint64_t number) {
    if (number == log->first)
        return;
    uint64_t base = cs_log_start(log, number), revision = cs_log_revision(log, number);
    size_t left = (size_t)(log->next - number);
    if (left) {
        memmove(log->bytes, log->bytes + (base - log->base), (size_t)(log->end - base));
        memmove(log->marks, log->marks + (number - log->first), left * sizeof *log->marks);
    } else {
        free(log->bytes);
        free(log->marks);
        log->bytes = NULL;
        log->marks = NULL;
        log->capacity = log->mark_capacity = 0;
    }
    log->base = base;
    log->base_revision = revision;
    log->first = number;
}
