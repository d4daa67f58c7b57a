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

enum { DISCARDS_PER_TURN = 16 };

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

static void let_in(struct conn *conn) {
    struct door *door = conn->door;
    int least = 1;
    cs_door_close(conn);
    door->conn = NULL;
    setsockopt(conn->fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
    cs_hand_over(conn);
}

static void refuse(struct conn *conn, unsigned status, const char *text) {
    CS_COUNT(conn->loop, refused[CHATSOCK_REFUSED_HANDSHAKE], 1);
    cs_http_refuse(conn, status, NULL, text);
    shutdown(conn->fd, SHUT_WR);
    conn->door->refused = true; /* until the peer closes or the time for its header is over */
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

static void wait_for_more(struct conn *conn, size_t seen) {
    int least = (int)seen + 1;
    conn->door->seen = seen;
    setsockopt(conn->fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
}

static void on_readable(uv_poll_t *poll, int status, int events) {
    struct door *door = poll->data;
    struct conn *conn = door->conn;
    char header[CS_HEADER_BYTES + 1];
    (void)events;
    if (door->refused) {
        if (cs_discard(conn->fd))
            cs_kill(conn);
        return;
    }
    ssize_t count = status < 0 ? 0 : recv(conn->fd, header, sizeof header, MSG_PEEK);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    size_t seen = count > 0 ? (size_t)count : 0, length = header_length(header, seen);
    if (is_too_large(header, length ? length : seen))
        refuse(conn, 431, "The header of a request may have 16 KB and 80 lines.\n");
    else if (length && asks_for_another_upgrade(header, length))
        refuse(conn, 400, "The only upgrade here is websocket.\n");
    else if (length)
        let_in(conn);
    else if (seen <= door->seen)
        cs_kill(conn); /* it has ended */
    else
        wait_for_more(conn, seen);
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
