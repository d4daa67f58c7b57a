/* Text in UTF-8. Any thread. */
#ifndef CS_TEXT_H
#define CS_TEXT_H

#include "chatsocket.h"

enum { CS_REASON_BYTES = 123 }; /* of a close frame */

/* Counts the leading bytes that are whole characters. `*broken`: the bytes after them can never become one. */
size_t cs_utf8_scan(const uint8_t *bytes, size_t count, bool *broken);
/* Copies at most CS_REASON_BYTES, whole characters only, and a final 0. `to` has room for CS_REASON_BYTES + 1. */
void cs_reason_copy(char *to, const char *reason);

#endif
