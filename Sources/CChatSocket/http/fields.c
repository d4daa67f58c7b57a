/*
 * The fields of a plain request, read from its header as it was sent. request_header.c has checked that each line but
 * the first is a name, a colon and a value.
 */
#include "http/http.h"

#include <strings.h>

enum { ARGUMENT_BYTES = 1024 };

struct text { /* a value under construction, in a buffer that always has room for a final 0 */
    char *to, *end;
    bool full;
};

static void put(struct text *text, const char *bytes, size_t count) {
    if (count > (size_t)(text->end - text->to)) {
        text->full = true;
        return;
    }
    memcpy(text->to, bytes, count);
    text->to += count;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Returns the value of the line when its name is `name`; otherwise its `bytes` are NULL. */
static struct cs_slice value_of(const char *line, const char *end, const char *name) {
    size_t length = strlen(name);
    if ((size_t)(end - line) <= length || line[length] != ':' || strncasecmp(line, name, length))
        return (struct cs_slice){0};
    for (line += length + 1; line < end && is_blank(*line); line++) {}
    while (end > line && is_blank(end[-1]))
        end--;
    return (struct cs_slice){line, (size_t)(end - line)};
}

static bool is_text(const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if ((uint8_t)bytes[i] < ' ' && bytes[i] != '\t')
            return false;
    return chatsock_is_utf8((const uint8_t *)bytes, count);
}

/* A field that comes several times is one list (RFC 9110, 5.3). */
const char *cs_field_copy(struct cs_slice header, const char *name, char *buffer, size_t size, bool *odd) {
    struct text text = {.to = buffer, .end = buffer + size - 1};
    const char *line = header.bytes, *past = header.bytes + header.count, *end;
    bool found = false, first = true;
    for (; (end = memchr(line, '\n', (size_t)(past - line))); line = end + 1, first = false) {
        struct cs_slice value = value_of(line, end, name);
        if (first || !value.bytes)
            continue;
        if (found)
            put(&text, ", ", 2);
        put(&text, value.bytes, value.count);
        found = true;
    }
    if (!found)
        return NULL;
    if (text.full || !is_text(buffer, (size_t)(text.to - buffer))) {
        *odd = true;
        return NULL;
    }
    *text.to = 0;
    return buffer;
}

/* ---- the query ---- */

static int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* Encodes one byte the way that all clients could: an argument has one spelling. */
static void put_encoded(struct text *text, uint8_t c) {
    static const char hex[] = "0123456789ABCDEF";
    bool plain = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c && strchr("-._~/:,", c));
    put(text, plain ? (const char[]){(char)c} : (const char[]){'%', hex[c >> 4], hex[c & 15]}, plain ? 1 : 3);
}

/* Returns 0, or the status of the refusal. */
static unsigned put_argument(struct text *text, struct cs_slice argument) {
    bool named = false; /* the first '=' separates name and value; others belong to the value */
    size_t decoded = 0;
    for (size_t i = 0; i < argument.count; i++, decoded++) {
        char c = argument.bytes[i];
        if (c == '=' && !named) {
            named = true;
            put(text, "=", 1);
        } else if (c == '%') {
            int high = i + 2 < argument.count ? digit_of(argument.bytes[i + 1]) : -1;
            int low = high < 0 ? -1 : digit_of(argument.bytes[i + 2]);
            if (low < 0)
                return 400;
            put_encoded(text, (uint8_t)(high << 4 | low));
            i += 2;
        } else {
            put_encoded(text, c == '+' ? ' ' : (uint8_t)c);
        }
    }
    return text->full || decoded >= ARGUMENT_BYTES ? 414 : 0;
}

unsigned cs_query_copy(struct cs_slice query, char *buffer, size_t size) {
    struct text text = {.to = buffer, .end = buffer + size - 1};
    const char *at = query.bytes, *past = at + query.count;
    unsigned refused = 0;
    while (at < past && !refused) {
        const char *end = memchr(at, '&', (size_t)(past - at));
        end = end ? end : past;
        refused = put_argument(&text, (struct cs_slice){at, (size_t)(end - at)});
        if (end < past)
            put(&text, "&", 1);
        at = end < past ? end + 1 : past;
    }
    *text.to = 0;
    return !refused && text.full ? 414 : refused;
}
