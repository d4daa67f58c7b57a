/*
 * A TLS connection from its beginning, and what comes from its peer. At first the bridge is the connection's preflight:
 * it does the TLS handshake and waits for the whole header of the request. The request of a WebSocket goes on to
 * libwebsockets, and the bridge then passes on what is decrypted. Any other request is carried here (http.c).
 */
#include "delivery/delivery.h"
#include "http/http.h"
#include "shared/socket.h"
#include "tls/tls_bridge.h"

#include <errno.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- from the peer ---- */

/* Passes bytes to libwebsockets. The rest that does not fit stays in `in`, and the peer is not read until it fits. */
static void pass_to_pair(struct tls_bridge *bridge, const uint8_t *bytes, size_t count) {
    ssize_t sent = send(bridge->pair.fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        bridge->discards_input = true; /* libwebsockets has closed its end */
        return;
    }
    size_t taken = sent < 0 ? 0 : (size_t)sent;
    if (taken < count && !cs_bytes_add(&bridge->in, bytes + taken, count - taken))
        bridge->broken = true;
}

static void pass_rest_to_pair(struct tls_bridge *bridge) {
    struct bytes rest = bridge->in;
    bridge->in = (struct bytes){0};
    if (rest.count)
        pass_to_pair(bridge, rest.data + rest.from, rest.count);
    cs_bytes_free(&rest);
}

static void read_for_pair(struct tls_bridge *bridge) {
    uint8_t chunk[CHUNK];
    size_t count;
    while (!bridge->in.count && !bridge->discards_input && !bridge->broken &&
           (count = cs_tls_bridge_decrypt(bridge, chunk, sizeof chunk)))
        pass_to_pair(bridge, chunk, count);
}

/* ---- the preflight ---- */

static void refuse(struct tls_bridge *bridge, chatsock_refusal why) {
    CS_COUNT(bridge->loop, refused[why], 1);
    bridge->refused = bridge->discards_input = true; /* until the peer ends or the time for its header is over */
}

/* Answers a peer that speaks plain HTTP on a TLS port in plain HTTP. */
static void refuse_handshake(struct tls_bridge *bridge) {
    static const char spoken[] = "This port speaks TLS: use https:// or wss://.\n";
    if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST) {
        cs_bytes_free(&bridge->out);
        cs_http_refuse(bridge->conn, 400, NULL, spoken);
        cs_conn_log_refusal(bridge->conn, spoken);
    }
    refuse(bridge, CHATSOCK_REFUSED_TLS);
}

static void continue_handshake(struct tls_bridge *bridge) {
    ERR_clear_error();
    int done = SSL_accept(bridge->ssl);
    if (done == 1) {
        bridge->handshake_done = true;
        /* The session ticket leaves before a request is read that came with the end of the handshake: a carrier that
           still holds output accepts no more, and a "100 Continue" is not tried again. */
        cs_tls_bridge_flush(bridge);
    } else if (SSL_get_error(bridge->ssl, done) != SSL_ERROR_WANT_READ && !bridge->peer_ended) {
        refuse_handshake(bridge);
    } else if (bridge->received > HANDSHAKE_LIMIT) {
        refuse(bridge, CHATSOCK_REFUSED_TLS);
    }
}

static bool watch(struct tls_bridge *bridge, struct watched *watched, int fd, uv_poll_cb on_event) {
    watched->fd = fd;
    watched->on_event = on_event;
    watched->used = !uv_poll_init(&bridge->loop->uv, &watched->poll, fd);
    watched->poll.data = bridge;
    bridge->handles += watched->used;
    return watched->used && !uv_poll_start(&watched->poll, watched->events = UV_READABLE, on_event);
}

static void on_pair(uv_poll_t *poll, int status, int events);

static void pass_to_lws(struct tls_bridge *bridge) {
    int pair[2], room = PAIR_ROOM;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair)) {
        bridge->broken = true;
        return;
    }
    if (!watch(bridge, &bridge->pair, pair[0], on_pair)) {
        close(pair[1]);
        if (!bridge->pair.used)
            close(pair[0]);
        bridge->broken = true;
        return;
    }
    setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room); /* the output of libwebsockets waits here */
    /* Before the adoption, in which libwebsockets reads: the request must be in the pair by then. */
    bridge->open = true;
    bridge->conn->fd = pair[1];
    pass_rest_to_pair(bridge);
    cs_conn_attach_wsi(bridge->conn);
}

static void handle_header(struct tls_bridge *bridge, const struct refusal *refusal) {
    struct conn *conn = bridge->conn;
    struct cs_slice header = {(const char *)bridge->in.data + bridge->in.from, bridge->header.line};
    if (refusal->status) {
        cs_http_refuse(conn, refusal->status, refusal->header, refusal->text);
        refuse(bridge, refusal->why);
    } else if (bridge->header.websocket) {
        pass_to_lws(bridge);
    } else {
        cs_http_handle(conn, header, bridge->header.old);
        cs_bytes_drop(&bridge->in, header.count);
        if (conn->state == CS_BODY)
            cs_http_read(conn);
    }
}

static bool has_header(struct tls_bridge *bridge, struct refusal *refusal) {
    struct bytes *in = &bridge->in;
    size_t blank =
        in->count ? cs_request_find_blank_line(bridge->conn, (const char *)in->data + in->from, in->count) : 0;
    if (blank && !bridge->header.seen)
        cs_bytes_drop(in, blank);
    if (!in->count || cs_request_may_begin_blank(bridge->conn, (const char *)in->data + in->from, in->count))
        return false;
    return cs_request_header_check(&bridge->header, (const char *)in->data + in->from, in->count, refusal);
}

static void read_header(struct tls_bridge *bridge) {
    uint8_t chunk[CHUNK];
    struct refusal refusal;
    while (!has_header(bridge, &refusal)) {
        size_t count = cs_tls_bridge_decrypt(bridge, chunk, sizeof chunk);
        if (!count && bridge->discards_input)
            refuse(bridge, CHATSOCK_REFUSED_TLS);
        if (!count)
            return;
        if (!cs_bytes_add(&bridge->in, chunk, count)) {
            bridge->broken = true;
            return;
        }
    }
    handle_header(bridge, &refusal);
}

/* ---- carrying requests ---- */

static ssize_t read_body(struct conn *conn, void *to, size_t room) {
    struct tls_bridge *bridge = conn->bridge;
    size_t count = bridge->in.count < room ? bridge->in.count : room;
    if (count) {
        memcpy(to, bridge->in.data + bridge->in.from, count);
        cs_bytes_drop(&bridge->in, count);
        return (ssize_t)count;
    }
    count = bridge->discards_input ? 0 : cs_tls_bridge_decrypt(bridge, to, room);
    return count ? (ssize_t)count : bridge->broken || bridge->peer_ended ? -1 : 0;
}

static ssize_t write_parts(struct conn *conn, const struct iovec *parts, size_t count) {
    return cs_tls_bridge_send(conn->bridge, parts, count);
}

/* On return the connection may have ended, except after CS_WATCH_BODY and CS_WATCH_NOTHING. */
static void watch_for(struct conn *conn, enum cs_watch watch) {
    struct tls_bridge *bridge = conn->bridge;
    bridge->paused = watch != CS_WATCH_HEADER && watch != CS_WATCH_BODY && watch != CS_WATCH_END;
    switch (watch) {
    case CS_WATCH_HEADER: /* it may have come already, also to OpenSSL, and then the socket is silent */
        bridge->header = (struct cs_request_header){0};
        bridge->readable = bridge->received + TURN_BYTES;
        read_header(bridge);
        if (conn->state != CS_HEADER) /* it may be answered in this turn, which no event follows */
            uv_async_send(&bridge->loop->wake);
        cs_tls_bridge_update(bridge);
        break;
    case CS_WATCH_ROOM:
        cs_tls_bridge_await_room(bridge);
        break;
    case CS_WATCH_END:
        bridge->refused = bridge->discards_input = true;
        cs_tls_bridge_update(bridge);
        break;
    case CS_WATCH_BODY: /* perhaps after a write to a file, which no event of the socket's follows */
        cs_tls_bridge_update_polls(bridge);
        break;
    case CS_WATCH_NOTHING:
        break;
    }
}

/* ---- events ---- */

/* Lets the connection write again, once everything is out. */
static void offer_room(struct tls_bridge *bridge) {
    if (!bridge->wants_room || cs_tls_bridge_is_full(bridge) || bridge->broken || !bridge->conn)
        return;
    bridge->wants_room = false;
    (bridge->conn->state == CS_RESPONDING ? cs_http_write : cs_conn_handle_writable)(bridge->conn);
}

static bool expects_body(const struct conn *conn) {
    return conn->state == CS_BODY || conn->state == CS_RECEIVING;
}

static void read_peer(struct tls_bridge *bridge) {
    bridge->readable = bridge->received + TURN_BYTES;
    if (!bridge->handshake_done && !bridge->discards_input)
        continue_handshake(bridge);
    if (bridge->handshake_done && !bridge->open && !bridge->discards_input && bridge->conn->state == CS_HEADER)
        read_header(bridge);
    else if (bridge->handshake_done && !bridge->open && !bridge->discards_input && expects_body(bridge->conn))
        cs_http_read(bridge->conn);
    if (bridge->open && !bridge->discards_input)
        read_for_pair(bridge);
    if (bridge->discards_input && !bridge->peer_ended && cs_socket_discard_input(bridge->peer.fd))
        bridge->peer_ended = true;
}

static void on_peer(uv_poll_t *poll, int status, int events) {
    struct tls_bridge *bridge = poll->data;
    if (status < 0) {
        bridge->peer.events = 0; /* libuv has stopped it */
        bridge->broken = true;
    } else if (events & UV_READABLE && !bridge->peer_ended) {
        read_peer(bridge);
    }
    cs_tls_bridge_update(bridge);
    if (!bridge->closing)
        offer_room(bridge);
}

static void on_pair(uv_poll_t *poll, int status, int events) {
    struct tls_bridge *bridge = poll->data;
    if (status < 0)
        bridge->pair.events = 0; /* libuv has stopped it: the other end is closed */
    if (status < 0 || events & UV_READABLE)
        cs_tls_bridge_drain_pair(bridge);
    if (bridge->in.count) {
        pass_rest_to_pair(bridge);
        bridge->readable = bridge->received + TURN_BYTES;
        if (!bridge->in.count)
            read_for_pair(bridge); /* OpenSSL may hold input that is no longer in the socket */
    }
    cs_tls_bridge_update(bridge);
}

/* ---- beginning and end ---- */

static void on_aborted(uv_handle_t *handle) {
    struct tls_bridge *bridge = handle->data;
    struct conn *conn = bridge->conn;
    if (cs_tls_bridge_release(bridge))
        cs_conn_free(conn);
}

/* For a bridge that is not open. */
static void abort_bridge(struct conn *conn) {
    struct tls_bridge *bridge = conn->bridge;
    conn->bridge = NULL;
    cs_tls_bridge_close(bridge, on_aborted);
}

bool cs_tls_bridge_open(struct conn *conn) {
    static const struct cs_carrier carrier = {.read = read_body, .write = write_parts, .watch = watch_for};
    struct tls_bridge *bridge = calloc(1, sizeof *bridge);
    if (!bridge)
        return false;
    bridge->loop = conn->loop;
    bridge->conn = conn;
    bridge->ssl = cs_tls_session_new(conn->loop->server);
    if (!bridge->ssl || !cs_tls_bridge_attach(bridge) || !watch(bridge, &bridge->peer, conn->fd, on_peer)) {
        SSL_free(bridge->ssl);
        free(bridge);
        return false;
    }
    conn->bridge = bridge;
    conn->carrier = &carrier;
    conn->abort = abort_bridge;
    conn->loop->bridges.count++;
    return true;
}
