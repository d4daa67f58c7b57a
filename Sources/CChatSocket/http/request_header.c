/*
 * Reads the header of a request as it comes, and decides about it. Each byte is examined once, however many packets the
 * header takes: a line is judged when it ends, and only the result is kept. A client that speaks another protocol is
 * refused at its first byte or line, because it waits for an answer and would never end the header.
 */
#include "http/http.h"

#include <strings.h>

#define NO_PROXY "This port expects no PROXY header.\n"

static bool begins(const char *line, size_t count, const char *start) {
    return count >= strlen(start) && !strncasecmp(line, start, strlen(start));
}

static bool contains(const char *line, size_t count, const char *part) {
    return memmem(line, count, part, strlen(part));
}

static bool is_websocket(const char *value, size_t count) {
    static const char name[] = "websocket";
    for (; count && (*value == ' ' || *value == '\t'); count--)
        value++;
    while (count && (value[count - 1] == ' ' || value[count - 1] == '\t'))
        count--;
    return count == sizeof name - 1 && !strncasecmp(value, name, count);
}

/* METHOD TARGET HTTP/1.x. The target is a path, an address that begins with http:// or https://, or a "*", which only
   OPTIONS may name. libwebsockets would accept much else, and would end a path at %00. */
static bool is_request_line(const char *line, size_t count) {
    const char *space = memchr(line, ' ', count);
    if (!space || space == line || count < 12 || contains(line, count, "%00"))
        return false;
    const char *target = space + 1;
    size_t left = count - (size_t)(target - line);
    bool whole = begins(target, left, "http://") || begins(target, left, "https://");
    bool all = begins(line, count, "OPTIONS * HTTP/");
    if (*target != '/' && !whole && !all)
        return false;
    return begins(line + count - 9, 9, " HTTP/1.0") || begins(line + count - 9, 9, " HTTP/1.1");
}

static bool is_field(const char *line, size_t count) {
    const char *colon = memchr(line, ':', count);
    return colon && colon != line && !memchr(line, ' ', (size_t)(colon - line)) &&
           !memchr(line, '\t', (size_t)(colon - line));
}

/* Keeps the first objection. */
static void add_objection_as(struct cs_request_header *header, chatsock_refusal why, const char *text) {
    if (header->objection)
        return;
    header->why = why;
    header->objection = text;
}

static void add_objection(struct cs_request_header *header, const char *text) {
    add_objection_as(header, CHATSOCK_REFUSED_HANDSHAKE, text);
}

static void check_request_line(struct cs_request_header *header, const char *line, size_t count) {
    if (begins(line, count, "PROXY "))
        add_objection_as(header, CHATSOCK_REFUSED_PROXY, NO_PROXY);
    for (size_t i = 0; i < count && header->parts <= CS_HEADER_PARTS; i++)
        header->parts += line[i] == '&';
    if (!is_request_line(line, count))
        add_objection(header, "A request must begin with a method, a path and HTTP/1.1.\n");
    header->old = count && line[count - 1] == '0';
}

static void check_field(struct cs_request_header *header, const char *line, size_t count) {
    static const char upgrade[] = "upgrade:";
    if (!is_field(line, count))
        add_objection(header, "Each line of the header must be a name, a colon and a value.\n");
    header->hosts += begins(line, count, "host:") && header->hosts < 2;
    if (!begins(line, count, upgrade))
        return;
    /* Any other upgrade is an offer, which a server may leave alone (RFC 9110, 7.8). */
    header->websocket = is_websocket(line + sizeof upgrade - 1, count - (sizeof upgrade - 1)) && !header->upgrades;
    header->upgrades = true;
}

/* Judges the header as a whole, when its empty line has come. */
static void check_whole(struct cs_request_header *header) {
    if (header->hosts != 1 && !(header->old && !header->hosts))
        add_objection(header, "There must be one Host header.\n");
    header->ended = true;
}

/* Judges the first byte of what has come. No more than that, because what comes in pieces is judged as what comes at
   once: so an empty line is refused as the PROXY protocol's version 2, which begins with one. */
static void check_start(struct cs_request_header *header, const char *bytes) {
    enum { TLS_HANDSHAKE = 0x16 };
    if (bytes[0] == TLS_HANDSHAKE)
        add_objection_as(header, CHATSOCK_REFUSED_TLS, "This port speaks no TLS: use http:// or ws://.\n");
    else if (bytes[0] == '\r')
        add_objection_as(header, CHATSOCK_REFUSED_PROXY,
                         "This port expects no PROXY header, and no empty line first.\n");
    else if ((bytes[0] | 0x20) < 'a' || (bytes[0] | 0x20) > 'z')
        add_objection(header, "A request must begin with a method, which is a word.\n");
}

static void check_line(struct cs_request_header *header, const char *line, size_t count) {
    bool first = !header->parts;
    header->parts++;
    count -= count && line[count - 1] == '\r';
    if (memchr(line, 0, count))
        add_objection(header, "The header contains a NUL byte.\n");
    if (memchr(line, '\r', count))
        add_objection(header, "The header contains a carriage return within a line.\n");
    if (first)
        check_request_line(header, line, count);
    else if (count)
        check_field(header, line, count);
    else
        check_whole(header);
}

static bool is_too_large(const struct cs_request_header *header) {
    return header->line > CS_HEADER_BYTES || header->parts > CS_HEADER_PARTS ||
           (!header->ended && header->seen > CS_HEADER_BYTES);
}

bool cs_request_header_check(struct cs_request_header *header, const char *bytes, size_t count,
                             struct refusal *refusal) {
    const char *end;
    if (!header->seen && count)
        check_start(header, bytes);
    while (!header->ended && !header->objection && !is_too_large(header) &&
           (end = memchr(bytes + header->seen, '\n', count - header->seen))) {
        check_line(header, bytes + header->line, (size_t)(end - bytes) - header->line);
        header->line = header->seen = (uint32_t)(end + 1 - bytes);
    }
    if (!header->ended)
        header->seen = (uint32_t)count;
    if (header->objection)
        *refusal = (struct refusal){400, header->why, NULL, header->objection};
    else if (is_too_large(header))
        *refusal = (struct refusal){431, CHATSOCK_REFUSED_HANDSHAKE, NULL,
                                    "The header of a request may have 16 KB and 80 lines.\n"};
    else if (header->ended && header->websocket)
        *refusal = cs_target_check_websocket(bytes, header->line);
    else if (header->ended)
        *refusal = (struct refusal){0}; /* http.c judges the rest */
    return header->ended || header->objection || is_too_large(header);
}

size_t cs_request_find_blank_line(const struct conn *conn, const char *bytes, size_t count) {
    if (!conn->kept || conn->state != CS_HEADER || !count)
        return 0;
    return *bytes == '\n' ? 1 : count > 1 && bytes[0] == '\r' && bytes[1] == '\n' ? 2 : 0;
}

bool cs_request_may_begin_blank(const struct conn *conn, const char *bytes, size_t count) {
    return conn->kept && conn->state == CS_HEADER && count == 1 && *bytes == '\r';
}
