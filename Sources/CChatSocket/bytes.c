/* A queue of bytes, oldest first. */
#include "shared.h"

bool cs_bytes_add(struct bytes *bytes, const void *more, size_t count) {
    size_t end = bytes->from + bytes->count;
    if (end + count > bytes->room) {
        size_t room = bytes->room ? bytes->room : 512;
        while (room < bytes->count + count)
            room *= 2;
        uint8_t *moved = malloc(room);
        if (!moved)
            return false;
        if (bytes->count)
            memcpy(moved, bytes->data + bytes->from, bytes->count);
        free(bytes->data);
        *bytes = (struct bytes){.data = moved, .count = bytes->count, .room = room};
        end = bytes->count;
    }
    memcpy(bytes->data + end, more, count);
    bytes->count += count;
    return true;
}

void cs_bytes_drop(struct bytes *bytes, size_t count) {
    bytes->from += count;
    bytes->count -= count;
    if (!bytes->count)
        cs_bytes_free(bytes);
}

void cs_bytes_free(struct bytes *bytes) {
    free(bytes->data);
    *bytes = (struct bytes){0};
}
