/* Well-formed UTF-8, table 3-7 of the Unicode standard. */
#include "internal.h"

static bool is_tail(uint8_t byte) {
    return (byte & 0xC0) == 0x80;
}

/* The length of the character at `p`, of which `left` bytes are there; 0 when it is not well formed. */
static size_t character(const uint8_t *p, size_t left) {
    uint8_t a = p[0];
    if (a < 0x80)
        return 1;
    if (a < 0xC2 || a > 0xF4 || left < 2)
        return 0;
    if (a < 0xE0)
        return is_tail(p[1]) ? 2 : 0;
    uint8_t low = 0x80, high = 0xBF; /* of the second byte: what keeps out overlong forms, surrogates and > U+10FFFF */
    if (a == 0xE0)
        low = 0xA0;
    else if (a == 0xED)
        high = 0x9F;
    else if (a == 0xF0)
        low = 0x90;
    else if (a == 0xF4)
        high = 0x8F;
    size_t length = a < 0xF0 ? 3 : 4;
    if (left < length || p[1] < low || p[1] > high || !is_tail(p[2]) || (length == 4 && !is_tail(p[3])))
        return 0;
    return length;
}

bool chatsock_is_utf8(const uint8_t *bytes, size_t count) {
    size_t i = 0;
    while (i < count) {
        uint64_t eight;
        if (count - i >= 8 && (memcpy(&eight, bytes + i, 8), !(eight & 0x8080808080808080u))) {
            i += 8; /* ASCII, mostly */
            continue;
        }
        size_t length = character(bytes + i, count - i);
        if (!length)
            return false;
        i += length;
    }
    return true;
}

void cs_copy_reason(char *to, const char *reason) {
    size_t count = strnlen(reason, CS_REASON_BYTES + 1);
    if (count > CS_REASON_BYTES)
        for (count = CS_REASON_BYTES; count && (reason[count] & 0xC0) == 0x80;)
            count--;
    memcpy(to, reason, count);
    to[count] = 0;
}
