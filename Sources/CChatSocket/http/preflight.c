/*
 * The preflight: a connection waits here until the whole header of its request has come. A faulty request gets an
 * answer that says what is wrong, and an unfinished header holds a few hundred bytes. The request of a WebSocket goes
 * on to libwebsockets, which would drop a connection with too long a header silently, would answer an unknown upgrade
 * with a page of its own, and would hold its largest buffer for each unfinished header. Any other request is carried
 * from here (http.c), and so is the next one on the connection.
 *
 * The input is peeked at and left in the socket, where libwebsockets or http.c reads it later. SO_RCVLOWAT keeps the
 * loop asleep until there is more input than was seen. Each peek copies all of it again, so there may be PEEKS of them
 * at most.
 */
#include "delivery/delivery.h"
#include "http/http.h"
#include "shared/socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PREFACE_BYTES = 16 + 4096, PEEKS = 2048 };

struct preflight {
    uv_poll_t poll;
    struct conn *conn; /* NULL: it has gone on to libwebsockets */
    uint32_t seen, peeks;
    struct cs_request_header header;
    enum cs_watch watch;
};

static void on_closed(uv_handle_t *handle_request) {
    struct preflight *preflight = handle_request->data;
    struct conn *conn = preflight->conn;
    free(preflight);
    if (!conn)
        return;
    close(conn->fd);
    cs_conn_free(conn);
}

static void close_preflight(struct conn *conn) {
    struct preflight *preflight = conn->preflight;
    conn->preflight = NULL;
    uv_poll_stop(&preflight->poll);
    uv_close((uv_handle_t *)&preflight->poll, on_closed);
}

/* libuv frees a handle some turns after it is closed, so the preflight outlives its connection here. */
static void release_preflight(struct conn *conn) {
    struct preflight *preflight = conn->preflight;
    close_preflight(conn);
    preflight->conn = NULL;
}

static void set_low_water(const struct conn *conn, int least) {
    setsockopt(conn->fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
}

static void pass_to_lws(struct conn *conn) {
    release_preflight(conn);
    set_low_water(conn, 1); /* the mark stays with the socket, and libwebsockets expects to be woken by any byte */
    cs_conn_attach_wsi(conn);
}

static void refuse(struct conn *conn, const struct refusal *why) {
    CS_COUNT(conn->loop, refused[why->why], 1);
    if (!conn->loop->server->config.certificate) /* a plain answer would mean nothing to the peer */
        cs_http_refuse(conn, why->status, why->header, why->text);
    if (why->why == CHATSOCK_REFUSED_TLS || why->why == CHATSOCK_REFUSED_PROXY)
        cs_conn_log_refusal(conn, why->text);
    conn->carrier->watch(conn, CS_WATCH_END); /* until the peer closes or the time for its header is over */
}

static void wait_for_more(struct conn *conn, size_t seen) {
    if (++conn->preflight->peeks > PEEKS) {
        refuse(conn, &(struct refusal){431, CHATSOCK_REFUSED_HANDSHAKE, NULL,
                                       "The header of a request came in too many pieces.\n"});
        return;
    }
    conn->preflight->seen = (uint32_t)seen;
    set_low_water(conn, (int)seen + 1); /* otherwise the bytes that were only peeked at wake the loop in every turn */
}

static void peek_request(struct conn *conn, bool ended);

/* Called when the PROXY header is there: what follows is from the client itself. */
static void accept_proxy_header(struct conn *conn, size_t length, const struct in6_addr *address) {
    char header[PREFACE_BYTES];
    conn->proxy_header_due = false;
    conn->unnamed = !address;
    set_low_water(conn, 1);
    if (recv(conn->fd, header, length, 0) != (ssize_t)length) {
        cs_conn_kill(conn);
        return;
    }
    struct refusal refusal = address ? cs_conn_set_address(conn, address) : (struct refusal){0};
    conn->base = conn->address;
    if (refusal.status) {
        refuse(conn, &refusal);
    } else if (conn->loop->server->config.certificate) {
        release_preflight(conn);
        if (!cs_tls_bridge_open(conn)) {
            close(conn->fd);
            cs_conn_free(conn);
        }
    } else {
        conn->preflight->seen = 0;
        peek_request(conn, false);
    }
}

static void peek_preface(struct conn *conn, bool ended) {
    uint8_t header[PREFACE_BYTES];
    struct in6_addr address;
    bool known;
    ssize_t count = ended ? 0 : recv(conn->fd, header, sizeof header, MSG_PEEK);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    size_t seen = count > 0 ? (size_t)count : 0;
    ssize_t length = cs_proxy_header_parse(header, seen, &address, &known);
    if (length < 0) {
        refuse(conn, &(struct refusal){400, CHATSOCK_REFUSED_PROXY, NULL,
                                       "A proxy must begin with a PROXY header that names an address.\n"});
    } else if (length) {
        accept_proxy_header(conn, (size_t)length, known ? &address : NULL);
    } else if (seen <= conn->preflight->seen) {
        cs_conn_kill(conn);
    } else {
        wait_for_more(conn, seen);
    }
}

/* Takes the header out of the socket, and the request begins. */
static void handle_request(struct conn *conn, char *header, size_t count) {
    set_low_water(conn, 1);
    if (recv(conn->fd, header, count, 0) == (ssize_t)count)
        cs_http_handle(conn, (struct cs_slice){header, count}, conn->preflight->header.old);
    else
        cs_conn_kill(conn);
}

static void peek_request(struct conn *conn, bool ended) {
    char header[CS_HEADER_BYTES + 1];
    ssize_t count = ended ? 0 : recv(conn->fd, header, sizeof header, MSG_PEEK);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    size_t seen = count > 0 ? (size_t)count : 0, blank = cs_request_find_blank_line(conn, header, seen);
    if (blank && recv(conn->fd, header, blank, 0) == (ssize_t)blank)
        return;                           /* the rest wakes the loop again */
    if (seen <= conn->preflight->seen) { /* it has ended, and what was there may be gone */
        cs_conn_kill(conn);
        return;
    }
    struct refusal refusal;
    bool known = !cs_request_may_begin_blank(conn, header, seen) &&
                 cs_request_header_check(&conn->preflight->header, header, seen, &refusal);
    if (known && refusal.status)
        refuse(conn, &refusal);
    else if (known && conn->preflight->header.websocket)
        pass_to_lws(conn);
    else if (known)
        handle_request(conn, header, conn->preflight->header.line);
    else
        wait_for_more(conn, seen);
}

/* ---- carrying requests ---- */

static void on_event(uv_poll_t *poll, int status, int events) {
    struct preflight *preflight = poll->data;
    struct conn *conn = preflight->conn;
    (void)events;
    switch (preflight->watch) {
    case CS_WATCH_HEADER:
        (conn->proxy_header_due ? peek_preface : peek_request)(conn, status < 0);
        break;
    case CS_WATCH_BODY:
        (status < 0 ? cs_conn_kill : cs_http_read)(conn);
        break;
    case CS_WATCH_ROOM:
        (status < 0 ? cs_conn_kill : cs_http_write)(conn);
        break;
    case CS_WATCH_END:
        if (status < 0 || cs_socket_discard_input(conn->fd))
            cs_conn_kill(conn);
        break;
    case CS_WATCH_NOTHING:
        break;
    }
}

static void watch(struct conn *conn, enum cs_watch watch) {
    struct preflight *preflight = conn->preflight;
    preflight->watch = watch;
    if (watch == CS_WATCH_HEADER) {
        preflight->seen = preflight->peeks = 0;
        preflight->header = (struct cs_request_header){0};
    } else if (watch == CS_WATCH_END) {
        set_low_water(conn, 1);
        shutdown(conn->fd, SHUT_WR);
    }
    if (watch == CS_WATCH_NOTHING)
        uv_poll_stop(&preflight->poll);
    else
        uv_poll_start(&preflight->poll, watch == CS_WATCH_ROOM ? UV_WRITABLE : UV_READABLE, on_event);
}

static ssize_t read_body(struct conn *conn, void *to, size_t room) {
    ssize_t count = recv(conn->fd, to, room, MSG_DONTWAIT);
    if (count > 0)
        return count;
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static ssize_t write_parts(struct conn *conn, const struct iovec *parts, size_t count) {
    struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)parts, .msg_iovlen = count};
    ssize_t sent = sendmsg(conn->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : sent;
}

bool cs_preflight_open(struct conn *conn) {
    static const struct cs_carrier carrier = {.read = read_body, .write = write_parts, .watch = watch};
    struct preflight *preflight = calloc(1, sizeof *preflight);
    if (!preflight || uv_poll_init(&conn->loop->uv, &preflight->poll, conn->fd)) {
        free(preflight);
        return false;
    }
    preflight->poll.data = preflight;
    preflight->conn = conn;
    conn->preflight = preflight;
    conn->carrier = &carrier;
    conn->abort = close_preflight;
    watch(conn, CS_WATCH_HEADER);
    return true;
}
