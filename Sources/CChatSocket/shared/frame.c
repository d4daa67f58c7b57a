/*
 * Server frames: a header and a payload in one block, shared by reference count.
 *
 * A long frame goes out as a message of several fragments (RFC 6455, 5.4), whose headers are made as they are written.
 * If the socket takes only a part, the rest of one fragment must leave before a pong or a close can follow, and no
 * more.
 */
#include "shared/frame.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum {
    LEAST_SHARED = 4096,    /* a shorter beginning is copied: that costs less than another part in each write */
    FRAGMENT_BYTES = 32768, /* of payload; a frame with no more goes out whole */
};

static size_t put_header(uint8_t *to, uint8_t first, size_t count) {
    to[0] = first;
    if (count < 126) {
        to[1] = (uint8_t)count;
        return 2;
    }
    size_t wide = count < 65536 ? 2 : 8;
    to[1] = wide == 2 ? 126 : 127;
    for (size_t i = 0; i < wide; i++)
        to[2 + i] = (uint8_t)((uint64_t)count >> (8 * (wide - 1 - i)));
    return 2 + wide;
}

/* Makes a frame with its header and space for `own` unshared bytes; `count` bytes follow the header in all. */
static chatsock_frame *begin(uint8_t first, size_t count, size_t own) {
    uint8_t header[10];
    size_t header_size = put_header(header, first, count);
    chatsock_frame *frame = malloc(sizeof *frame + header_size + own);
    if (!frame)
        return NULL;
    *frame = (chatsock_frame){.references = 1, .size = header_size + count, .header = header_size};
    memcpy(frame->bytes, header, header_size);
    return frame;
}

chatsock_frame *cs_frame_new(uint8_t first, const void *payload, size_t count) {
    chatsock_frame *frame = begin(first, count, count);
    if (frame && count)
        memcpy(frame->bytes + frame->header, payload, count);
    return frame;
}

chatsock_frame *chatsock_frame_ending(chatsock_frame *whole, size_t count, const uint8_t *end, size_t end_count) {
    bool is_shared = count >= LEAST_SHARED && !whole->whole;
    chatsock_frame *frame = begin(0x81, count + end_count, is_shared ? end_count : count + end_count);
    if (!frame)
        return NULL;
    memcpy(frame->bytes + frame->size - end_count - (is_shared ? count : 0), end, end_count);
    if (is_shared) {
        chatsock_frame_retain(whole);
        frame->whole = whole;
        frame->shared = (struct iovec){whole->bytes + whole->header, count};
    } else {
        memcpy(frame->bytes + frame->header, whole->bytes + whole->header, count);
    }
    return frame;
}

static size_t add_part(struct iovec *parts, size_t count, uint8_t *bytes, size_t size, size_t *from) {
    size_t passed = *from < size ? *from : size;
    *from -= passed;
    if (passed < size)
        parts[count++] = (struct iovec){bytes + passed, size - passed};
    return count;
}

size_t cs_frame_get_parts(const chatsock_frame *frame, size_t from, struct iovec *parts) {
    uint8_t *bytes = (uint8_t *)(uintptr_t)frame->bytes;
    if (!frame->whole)
        return add_part(parts, 0, bytes, frame->size, &from);
    size_t count = add_part(parts, 0, bytes, frame->header, &from);
    count = add_part(parts, count, frame->shared.iov_base, frame->shared.iov_len, &from);
    return add_part(parts, count, bytes + frame->header, frame->size - frame->header - frame->shared.iov_len, &from);
}

/* Keeps the first `size` bytes of the parts. Returns how many parts are left. */
static size_t shorten(struct iovec *parts, size_t count, size_t size) {
    for (size_t i = 0; i < count; size -= parts[i++].iov_len)
        if (size <= parts[i].iov_len) {
            parts[i].iov_len = size;
            return i + 1;
        }
    return count;
}

void cs_frame_get_piece(const chatsock_frame *frame, size_t from, uint8_t *header, struct piece *piece) {
    if (frame->size - frame->header <= FRAGMENT_BYTES) {
        piece->count = cs_frame_get_parts(frame, 0, piece->parts);
        piece->bytes = piece->next = frame->size;
        return;
    }
    size_t start = from ? from : frame->header, left = frame->size - start;
    size_t taken = left < FRAGMENT_BYTES ? left : FRAGMENT_BYTES;
    uint8_t opcode = from ? 0 : frame->bytes[0] & 0x0F, last = left == taken ? 0x80 : 0;
    piece->parts[0] = (struct iovec){header, put_header(header, opcode | last, taken)};
    size_t count = cs_frame_get_parts(frame, start, piece->parts + 1);
    piece->count = 1 + shorten(piece->parts + 1, count, taken);
    piece->bytes = piece->parts[0].iov_len + taken;
    piece->next = start + taken;
}

chatsock_frame *chatsock_frame_text(const uint8_t *text, size_t count) {
    return cs_frame_new(0x81, text, count);
}

uint64_t chatsock_clock(void) {
    return uv_hrtime();
}

void chatsock_frame_stamp(chatsock_frame *frame, uint64_t since) {
    frame->since = since;
}

void chatsock_frame_retain(chatsock_frame *frame) {
    atomic_fetch_add_explicit(&frame->references, 1, memory_order_relaxed);
}

void chatsock_frame_release(chatsock_frame *frame) {
    if (atomic_fetch_sub_explicit(&frame->references, 1, memory_order_acq_rel) != 1)
        return;
    if (frame->whole)
        chatsock_frame_release(frame->whole);
    free(frame);
}

size_t chatsock_frame_size(const chatsock_frame *frame) {
    return frame->size;
}

size_t chatsock_frame_text_size(const chatsock_frame *frame) {
    return frame->size - frame->header;
}

void chatsock_frame_copy_text(const chatsock_frame *frame, uint8_t *to) {
    struct iovec parts[CS_FRAME_PARTS];
    size_t count = cs_frame_get_parts(frame, frame->header, parts);
    for (size_t i = 0; i < count; to += parts[i++].iov_len)
        memcpy(to, parts[i].iov_base, parts[i].iov_len);
}
