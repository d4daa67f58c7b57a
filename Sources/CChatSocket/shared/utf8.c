/* Well-formed UTF-8, table 3-7 of the Unicode standard. */
#include "shared/text.h"

#include <string.h>

enum { BROKEN, CUT }; /* why bytes are no character: invalid, or valid so far with the end missing */

/* Returns the length of the character at `p`, of which `left` bytes are there; 0 and `*why` when it is none. */
static size_t character(const uint8_t *p, size_t left, int *why) {
    uint8_t a = p[0];
    *why = BROKEN;
    if (a < 0x80)
        return 1;
    if (a < 0xC2 || a > 0xF4)
        return 0;
    size_t length = a < 0xE0 ? 2 : a < 0xF0 ? 3 : 4;
    uint8_t low = 0x80, high = 0xBF; /* of the second byte: excludes overlong forms, surrogates and > U+10FFFF */
    if (a == 0xE0)
        low = 0xA0;
    else if (a == 0xED)
        high = 0x9F;
    else if (a == 0xF0)
        low = 0x90;
    else if (a == 0xF4)
        high = 0x8F;
    for (size_t i = 1; i < length; i++) {
        if (i == left) {
            *why = CUT;
            return 0;
        }
        if (p[i] < (i == 1 ? low : 0x80) || p[i] > (i == 1 ? high : 0xBF))
            return 0;
    }
    return length;
}

size_t cs_utf8_scan(const uint8_t *bytes, size_t count, bool *broken) {
    size_t i = 0;
    *broken = false;
    while (i < count) {
        uint64_t eight;
        if (count - i >= 8 && (memcpy(&eight, bytes + i, 8), !(eight & 0x8080808080808080u))) {
            i += 8; /* ASCII, the usual case */
            continue;
        }
        int why;
        size_t length = character(bytes + i, count - i, &why);
        if (!length) {
            *broken = why == BROKEN;
            return i;
        }
        i += length;
    }
    return i;
}

bool chatsock_is_utf8(const uint8_t *bytes, size_t count) {
    bool broken;
    return cs_utf8_scan(bytes, count, &broken) == count;
}

void cs_reason_copy(char *to, const char *reason) {
    size_t count = strnlen(reason, CS_REASON_BYTES + 1);
    if (count > CS_REASON_BYTES)
        for (count = CS_REASON_BYTES; count && (reason[count] & 0xC0) == 0x80;)
            count--;
    memcpy(to, reason, count);
    to[count] = 0;
}
