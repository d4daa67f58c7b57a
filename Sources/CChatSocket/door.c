/*
 * Before libwebsockets: a new connection waits here until the header of its request is there as a whole. Left to the
 * library, a header over its limit is a dropped connection without a word, an upgrade it does not know gets a page of
 * its own, and each unfinished header holds its largest buffer. Here all of them get an answer that says what is wrong,
 * and who never finishes holds a few hundred bytes.
 *
 * What has come is looked at and left in the socket, from where libwebsockets then reads it. SO_RCVLOWAT keeps the loop
 * asleep until there is more than was seen.
 */
#include "internal.h"

#include <errno.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DISCARDS_PER_TURN = 16, PREFACE_BYTES = 16 + 4096 };

struct door {
    uv_poll_t poll;
    struct conn *conn; /* NULL: it has gone on to libwebsockets */
    size_t seen;
    bool refused; /* what still comes is thrown away, so that the answer is not lost to a reset */
};

static void on_closed(uv_handle_t *handle) {
    struct door *door = handle->data;
    struct conn *conn = door->conn;
    free(door);
    if (!conn)
        return;
    close(conn->fd);
    cs_conn_free(conn);
}

void cs_door_close(struct conn *conn) {
    struct door *door = conn->door;
    conn->door = NULL;
    uv_poll_stop(&door->poll);
    uv_close((uv_handle_t *)&door->poll, on_closed);
}

static void leave_door(struct conn *conn) {
    struct door *door = conn->door;
    cs_door_close(conn);
    door->conn = NULL;
}

static void let_in(struct conn *conn) {
    int least = 1;
    leave_door(conn);
    setsockopt(conn->fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
    cs_hand_over(conn);
}

static void turn_away(struct conn *conn, unsigned status, const char *header, const char *text) {
    if (!conn->loop->server->config.certificate) /* a plain answer would mean nothing to the peer */
        cs_http_refuse(conn, status, header, text);
    shutdown(conn->fd, SHUT_WR);
    conn->door->refused = true; /* until the peer closes or the time for its header is over */
}

static void refuse(struct conn *conn, struct cs_judgement judgement) {
    CS_COUNT(conn->loop, refused[CHATSOCK_REFUSED_HANDSHAKE], 1);
    turn_away(conn, judgement.status, judgement.header, judgement.text);
}

bool cs_discard(int fd) {
    char waste[4096];
    for (int i = 0; i < DISCARDS_PER_TURN; i++) {
        ssize_t count = recv(fd, waste, sizeof waste, MSG_DONTWAIT);
        if (count <= 0)
            return !count || (errno != EAGAIN && errno != EINTR);
    }
    return false;
}

/* How long the header is, with its empty line; 0 when it is not whole. */
static size_t header_length(const char *bytes, size_t count) {
    const char *end = bytes + count, *at = bytes;
    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        const char *next = at < end && *at == '\r' ? at + 1 : at;
        if (next < end && *next == '\n')
            return (size_t)(next + 1 - bytes);
    }
    return 0;
}

static bool is_too_large(const char *header, size_t count) {
    size_t parts = 0;
    bool in_query = true; /* the first line */
    for (size_t i = 0; i < count; i++) {
        parts += header[i] == '\n' || (in_query && header[i] == '&');
        in_query = in_query && header[i] != '\n';
    }
    return count > CS_HEADER_BYTES || parts > CS_HEADER_PARTS;
}

static bool is_websocket(const char *value, size_t count) {
    static const char name[] = "websocket";
    for (; count && (*value == ' ' || *value == '\t'); count--)
        value++;
    while (count && strchr(" \t\r", value[count - 1]))
        count--;
    return count == sizeof name - 1 && !strncasecmp(value, name, count);
}

static bool asks_for_another_upgrade(const char *header, size_t count) {
    static const char name[] = "upgrade:";
    const char *end = header + count, *line = header;
    while ((line = memchr(line, '\n', (size_t)(end - line)))) {
        line++;
        const char *line_end = memchr(line, '\n', (size_t)(end - line)), *value = line + sizeof name - 1;
        if (line_end && value <= line_end && !strncasecmp(line, name, sizeof name - 1) &&
            !is_websocket(value, (size_t)(line_end - value)))
            return true;
    }
    return false;
}

static bool begins(const char *line, size_t count, const char *start) {
    return count >= strlen(start) && !strncasecmp(line, start, strlen(start));
}

static bool holds(const char *line, size_t count, const char *part) {
    return memmem(line, count, part, strlen(part));
}

/* METHOD /path HTTP/1.x; libwebsockets would take much else, and would end a path at %00. */
static bool is_request_line(const char *line, size_t count) {
    const char *target = memchr(line, ' ', count);
    if (!target || target == line || count < 12 || target[1] != '/' || holds(line, count, "%00"))
        return false;
    return begins(line + count - 9, 9, " HTTP/1.0") || begins(line + count - 9, 9, " HTTP/1.1");
}

static bool is_field(const char *line, size_t count) {
    const char *colon = memchr(line, ':', count);
    return colon && colon != line && !memchr(line, ' ', (size_t)(colon - line)) &&
           !memchr(line, '\t', (size_t)(colon - line));
}

/* NULL when the header is one, of `length` bytes with its empty line. */
static const char *objection(const char *header, size_t length) {
    size_t hosts = 0;
    bool first = true, old = false;
    if (memchr(header, 0, length))
        return "There is a NUL in the header.\n";
    for (const char *line = header, *next; line < header + length; line = next, first = false) {
        next = (const char *)memchr(line, '\n', (size_t)(header + length - line)) + 1;
        size_t count = (size_t)(next - line) - 1;
        count -= count && line[count - 1] == '\r';
        if (first && !is_request_line(line, count))
            return "A request begins with a method, a path and HTTP/1.1.\n";
        if (!first && count && !is_field(line, count))
            return "A line of the header is a name, a colon and a value.\n";
        old = old || (first && line[count - 1] == '0');
        hosts += begins(line, count, "host:");
    }
    return hosts == 1 || (old && !hosts) ? NULL : "There must be one Host header.\n";
}

struct cs_judgement cs_judge_header(const char *header, size_t count) {
    size_t length = header_length(header, count);
    if (is_too_large(header, length ? length : count))
        return (struct cs_judgement){true, 431, NULL, "The header of a request may have 16 KB and 80 lines.\n"};
    const char *wrong = length ? objection(header, length) : NULL;
    if (wrong)
        return (struct cs_judgement){true, 400, NULL, wrong};
    if (length && asks_for_another_upgrade(header, length))
        return (struct cs_judgement){true, 400, NULL, "The only upgrade here is websocket.\n"};
    return length ? cs_judge_target(header, length) : (struct cs_judgement){0};
}

static void wait_for_more(struct conn *conn, size_t seen) {
    int least = (int)seen + 1;
    conn->door->seen = seen;
    setsockopt(conn->fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
}

static void look(struct conn *conn, bool ended);

/* The PROXY header is there: what follows is the peer's own, whoever that is. */
static void begin_anew(struct conn *conn, size_t length, const struct in6_addr *address) {
    char header[PREFACE_BYTES];
    int least = 1;
    conn->preface = false;
    setsockopt(conn->fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
    if (recv(conn->fd, header, length, 0) != (ssize_t)length) {
        cs_kill(conn);
        return;
    }
    struct refusal refusal = address ? cs_readdress(conn, address) : (struct refusal){0};
    if (refusal.status) {
        CS_COUNT(conn->loop, refused[refusal.why], 1);
        turn_away(conn, refusal.status, refusal.header, refusal.text);
    } else if (conn->loop->server->config.certificate) {
        leave_door(conn);
        if (!cs_tunnel_open(conn)) {
            close(conn->fd);
            cs_conn_free(conn);
        }
    } else {
        conn->door->seen = 0;
        look(conn, false);
    }
}

static void look_for_preface(struct conn *conn, bool ended) {
    uint8_t header[PREFACE_BYTES];
    struct in6_addr address;
    bool known;
    ssize_t count = ended ? 0 : recv(conn->fd, header, sizeof header, MSG_PEEK);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    size_t seen = count > 0 ? (size_t)count : 0;
    ssize_t length = cs_proxy_parse(header, seen, &address, &known);
    if (length < 0) {
        CS_COUNT(conn->loop, refused[CHATSOCK_REFUSED_PROXY], 1);
        turn_away(conn, 400, NULL, "A trusted proxy must begin with a PROXY header.\n");
    } else if (length) {
        begin_anew(conn, (size_t)length, known ? &address : NULL);
    } else if (seen <= conn->door->seen) {
        cs_kill(conn);
    } else {
        wait_for_more(conn, seen);
    }
}

static void look(struct conn *conn, bool ended) {
    char header[CS_HEADER_BYTES + 1];
    ssize_t count = ended ? 0 : recv(conn->fd, header, sizeof header, MSG_PEEK);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    size_t seen = count > 0 ? (size_t)count : 0;
    struct cs_judgement judgement = cs_judge_header(header, seen);
    if (judgement.status)
        refuse(conn, judgement);
    else if (judgement.known)
        let_in(conn);
    else if (seen <= conn->door->seen)
        cs_kill(conn); /* it has ended */
    else
        wait_for_more(conn, seen);
}

static void on_readable(uv_poll_t *poll, int status, int events) {
    struct door *door = poll->data;
    struct conn *conn = door->conn;
    (void)events;
    if (!door->refused)
        (conn->preface ? look_for_preface : look)(conn, status < 0);
    else if (cs_discard(conn->fd))
        cs_kill(conn);
}

bool cs_door_open(struct conn *conn) {
    struct door *door = calloc(1, sizeof *door);
    if (!door || uv_poll_init(&conn->loop->uv, &door->poll, conn->fd)) {
        free(door);
        return false;
    }
    door->poll.data = door;
    door->conn = conn;
    conn->door = door;
    uv_poll_start(&door->poll, UV_READABLE, on_readable);
    return true;
}
