/* Server frames: a header and a payload in one block, shared by reference count. */
#include "internal.h"

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

chatsock_frame *cs_frame_new(uint8_t first, const void *payload, size_t count) {
    uint8_t header[10];
    size_t header_size = put_header(header, first, count);
    chatsock_frame *frame = malloc(sizeof *frame + header_size + count);
    if (!frame)
        return NULL;
    atomic_init(&frame->references, 1);
    frame->size = header_size + count;
    frame->since = 0;
    memcpy(frame->bytes, header, header_size);
    if (count)
        memcpy(frame->bytes + header_size, payload, count);
    return frame;
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
    if (atomic_fetch_sub_explicit(&frame->references, 1, memory_order_acq_rel) == 1)
        free(frame);
}

size_t chatsock_frame_size(const chatsock_frame *frame) {
    return frame->size;
}
