/*
 * TLS ends here. libwebsockets gets one end of a pair of local sockets and knows nothing of TLS. So all that holds for
 * plain connections holds for these, too, and the library's own TLS, which a peer can make spin, is not in use.
 *
 * At first a bridge is the connection's preflight: it does the TLS handshake and waits for the whole header of the
 * request. After that, the peer's input goes through the pair to libwebsockets, and so does the output of libwebsockets
 * to the peer. Frames for readers do not go through the pair: they are encrypted from where they lie
 * (cs_tls_bridge_send). Both are whole frames, and the pair is emptied before anything is sent past it, so that neither
 * cuts the other.
 */
#include "tls_bridge.h"

#include <errno.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- the end ---- */

static void on_closed(uv_handle_t *handle) {
    struct tls_bridge *bridge = handle->data;
    if (--bridge->handles)
        return;
    close(bridge->peer.fd);
    if (bridge->pair.used)
        close(bridge->pair.fd);
    struct conn *conn = bridge->conn;
    struct loop *loop = bridge->loop;
    SSL_free(bridge->ssl);
    cs_bytes_free(&bridge->in);
    cs_bytes_free(&bridge->out);
    cs_bytes_free(&bridge->rest);
    if (conn)
        cs_conn_free(conn);
    else
        cs_connection_left(loop, &bridge->address, bridge->spare ? CS_SPARE : CS_ORDINARY);
    free(bridge);
    loop->bridges--;
}

static void unlist(struct tls_bridge *bridge) {
    if (!bridge->link)
        return;
    *bridge->link = bridge->next;
    if (bridge->next)
        bridge->next->link = bridge->link;
    bridge->link = NULL;
}

static void stop_watching(struct watched *watched) {
    if (!watched->used)
        return;
    uv_poll_stop(&watched->poll);
    uv_close((uv_handle_t *)&watched->poll, on_closed);
}

static void close_bridge(struct tls_bridge *bridge) {
    if (bridge->closing)
        return;
    bridge->closing = true;
    unlist(bridge);
    stop_watching(&bridge->peer);
    stop_watching(&bridge->pair);
}

/* ---- to the peer ---- */

/* Sends the peer what libwebsockets has written itself: its answer to the handshake, pongs and close frames. */
static void empty_pair(struct tls_bridge *bridge) {
    uint8_t chunk[CHUNK];
    while (bridge->open && !bridge->pair_ended && !cs_tls_bridge_is_full(bridge) && !bridge->broken) {
        ssize_t count = recv(bridge->pair.fd, chunk, sizeof chunk, MSG_DONTWAIT);
        if (count < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        bridge->pair_ended = count <= 0;
        cs_tls_bridge_encrypt(bridge, chunk, count > 0 ? (size_t)count : 0);
        cs_tls_bridge_flush(bridge);
    }
}

/* Ends the TLS session and the sending side, after everything else was sent. */
static void say_goodbye(struct tls_bridge *bridge) {
    if (bridge->told_peer || bridge->broken || cs_tls_bridge_is_full(bridge) || !(bridge->pair_ended || bridge->refused))
        return;
    bridge->told_peer = true;
    ERR_clear_error();
    if (bridge->shaken)
        SSL_shutdown(bridge->ssl);
    cs_tls_bridge_flush(bridge); /* a few bytes into an empty socket */
    bridge->deadline = cs_now(bridge->loop) + PARTING_MS;
    shutdown(bridge->peer.fd, SHUT_WR);
}

/* ---- from the peer ---- */

/* Passes bytes to libwebsockets. The rest that does not fit stays in `in`, and the peer is not read until it fits. */
static void pass_on(struct tls_bridge *bridge, const uint8_t *bytes, size_t count) {
    ssize_t sent = send(bridge->pair.fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        bridge->deaf = true; /* libwebsockets has closed its end */
        return;
    }
    size_t taken = sent < 0 ? 0 : (size_t)sent;
    if (taken < count && !cs_bytes_add(&bridge->in, bytes + taken, count - taken))
        bridge->broken = true;
}

static void pass_on_rest(struct tls_bridge *bridge) {
    struct bytes rest = bridge->in;
    bridge->in = (struct bytes){0};
    if (rest.count)
        pass_on(bridge, rest.data + rest.from, rest.count);
    cs_bytes_free(&rest);
}

static void read_on(struct tls_bridge *bridge) {
    uint8_t chunk[CHUNK];
    size_t count;
    while (!bridge->in.count && !bridge->deaf && !bridge->broken && (count = cs_tls_bridge_decrypt(bridge, chunk, sizeof chunk)))
        pass_on(bridge, chunk, count);
}

/* ---- the preflight ---- */

static void turn_away(struct tls_bridge *bridge, chatsock_refusal why) {
    CS_COUNT(bridge->loop, refused[why], 1);
    bridge->refused = bridge->deaf = true; /* until the peer ends or the time for its header is over */
}

void cs_tls_bridge_say(struct tls_bridge *bridge, const void *bytes, size_t count) {
    if (bridge->shaken)
        cs_tls_bridge_encrypt(bridge, bytes, count);
    else if (!cs_bytes_add(&bridge->out, bytes, count))
        bridge->broken = true;
}

/* Answers a peer that speaks plain HTTP on a TLS port in plain HTTP. */
static void refuse_hands(struct tls_bridge *bridge) {
    static const char spoken[] = "This port speaks TLS: use https:// or wss://.\n";
    if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST) {
        cs_bytes_free(&bridge->out);
        cs_http_refuse(bridge->conn, 400, NULL, spoken);
        cs_log_refusal(bridge->conn, spoken);
    }
    turn_away(bridge, CHATSOCK_REFUSED_TLS);
}

static void shake(struct tls_bridge *bridge) {
    ERR_clear_error();
    int done = SSL_accept(bridge->ssl);
    if (done == 1)
        bridge->shaken = true;
    else if (SSL_get_error(bridge->ssl, done) != SSL_ERROR_WANT_READ && !bridge->peer_ended)
        refuse_hands(bridge);
    else if (bridge->received > SHAKE_LIMIT)
        turn_away(bridge, CHATSOCK_REFUSED_TLS);
}

static bool watch(struct tls_bridge *bridge, struct watched *watched, int fd, uv_poll_cb on_event) {
    watched->fd = fd;
    watched->used = !uv_poll_init(&bridge->loop->uv, &watched->poll, fd);
    watched->poll.data = bridge;
    bridge->handles += watched->used;
    return watched->used && !uv_poll_start(&watched->poll, watched->events = UV_READABLE, on_event);
}

static void on_pair(uv_poll_t *poll, int status, int events);

static void let_in(struct tls_bridge *bridge) {
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
    setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room); /* what libwebsockets writes waits here */
    bridge->open = true;
    bridge->conn->fd = pair[1];
    pass_on_rest(bridge);
    cs_hand_over(bridge->conn);
}

static void read_header(struct tls_bridge *bridge) {
    uint8_t chunk[CHUNK];
    struct refusal refusal;
    bool known = false;
    while (!known) {
        size_t count = cs_tls_bridge_decrypt(bridge, chunk, sizeof chunk);
        if (!count && bridge->deaf)
            turn_away(bridge, CHATSOCK_REFUSED_TLS);
        if (!count)
            return;
        if (!cs_bytes_add(&bridge->in, chunk, count)) {
            bridge->broken = true;
            return;
        }
        known = cs_check_header(&bridge->header, (const char *)bridge->in.data + bridge->in.from, bridge->in.count,
                                &refusal);
    }
    if (refusal.status) {
        cs_http_refuse(bridge->conn, refusal.status, refusal.header, refusal.text);
        turn_away(bridge, refusal.why);
    } else {
        let_in(bridge);
    }
}

/* ---- events ---- */

static void want(struct watched *watched, int events, uv_poll_cb on_event) {
    if (!watched->used || watched->events == events)
        return;
    watched->events = events;
    if (events)
        uv_poll_start(&watched->poll, events, on_event);
    else
        uv_poll_stop(&watched->poll);
}

static void on_peer(uv_poll_t *poll, int status, int events);

static bool is_over(const struct tls_bridge *bridge) {
    if (bridge->conn && bridge->open)
        return false; /* libwebsockets ends it */
    return bridge->broken || (bridge->peer_ended && (bridge->told_peer || !bridge->open)) ||
           (!bridge->conn && bridge->loop->destroying);
}

/* Tells libwebsockets that the peer has ended. */
static void tell_pair(struct tls_bridge *bridge) {
    if (!bridge->open || bridge->told_pair || bridge->in.count || !(bridge->peer_ended || bridge->broken))
        return;
    bridge->told_pair = true;
    shutdown(bridge->pair.fd, bridge->broken ? SHUT_RDWR : SHUT_WR);
}

static void await(struct tls_bridge *bridge) {
    bool reads = !bridge->peer_ended && (bridge->deaf || !bridge->open || !bridge->in.count);
    bool hears = bridge->open && !bridge->pair_ended && !cs_tls_bridge_is_full(bridge);
    bool tells = bridge->open && !bridge->deaf && bridge->in.count, writes = bridge->out.count;
    if (bridge->broken || bridge->closing)
        reads = hears = tells = writes = false;
    want(&bridge->peer, (reads ? UV_READABLE : 0) | (writes ? UV_WRITABLE : 0), on_peer);
    want(&bridge->pair, (hears ? UV_READABLE : 0) | (tells ? UV_WRITABLE : 0), on_pair);
}

/* Called after each event: acts on what follows from it, and sets what the loop waits for next. */
static void settle(struct tls_bridge *bridge) {
    cs_tls_bridge_flush(bridge);
    say_goodbye(bridge);
    tell_pair(bridge);
    if (bridge->closing)
        return;
    if (is_over(bridge)) {
        struct conn *conn = bridge->conn;
        if (conn)
            cs_kill(conn);
        else
            close_bridge(bridge);
        return;
    }
    await(bridge);
}

/* Lets the connection write again, once everything is out. */
static void offer_room(struct tls_bridge *bridge) {
    if (!bridge->wants_room || cs_tls_bridge_is_full(bridge) || bridge->broken || !bridge->conn)
        return;
    bridge->wants_room = false;
    cs_writable(bridge->conn);
}

static void read_peer(struct tls_bridge *bridge) {
    bridge->readable = bridge->received + TURN_BYTES;
    if (!bridge->shaken && !bridge->deaf)
        shake(bridge);
    if (bridge->shaken && !bridge->open && !bridge->deaf)
        read_header(bridge);
    if (bridge->open && !bridge->deaf)
        read_on(bridge);
    if (bridge->deaf && !bridge->peer_ended && cs_discard(bridge->peer.fd))
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
    settle(bridge);
    if (!bridge->closing)
        offer_room(bridge);
}

static void on_pair(uv_poll_t *poll, int status, int events) {
    struct tls_bridge *bridge = poll->data;
    if (status < 0)
        bridge->pair.events = 0; /* libuv has stopped it: the other end is closed */
    if (status < 0 || events & UV_READABLE)
        empty_pair(bridge);
    if (bridge->in.count) {
        pass_on_rest(bridge);
        bridge->readable = bridge->received + TURN_BYTES;
        if (!bridge->in.count)
            read_on(bridge); /* OpenSSL may hold input that is no longer in the socket */
    }
    settle(bridge);
}

/* ---- the connection's side ---- */

/* For a bridge that is not open. */
static void abort_bridge(struct conn *conn) {
    struct tls_bridge *bridge = conn->bridge;
    conn->bridge = NULL;
    close_bridge(bridge);
}

bool cs_tls_bridge_open(struct conn *conn) {
    struct tls_bridge *bridge = calloc(1, sizeof *bridge);
    if (!bridge)
        return false;
    bridge->loop = conn->loop;
    bridge->conn = conn;
    bridge->ssl = cs_tls_new(conn->loop->server);
    if (!bridge->ssl || !cs_tls_bridge_attach(bridge) || !watch(bridge, &bridge->peer, conn->fd, on_peer)) {
        SSL_free(bridge->ssl);
        free(bridge);
        return false;
    }
    conn->bridge = bridge;
    conn->abort = abort_bridge;
    conn->loop->bridges++;
    return true;
}

bool cs_tls_bridge_is_open(const struct tls_bridge *bridge) {
    return bridge->open;
}

void cs_tls_bridge_part(struct conn *conn) {
    struct tls_bridge *bridge = conn->bridge;
    struct loop *loop = bridge->loop;
    conn->bridge = NULL;
    bridge->conn = NULL;
    bridge->address = conn->address;
    bridge->spare = conn->spare;
    bridge->deaf = true;
    if (bridge->rest.count > CUT)
        cs_tls_bridge_forsake(bridge); /* without a connection, these bytes would count for nobody */
    bridge->deadline = cs_now(loop) + (bridge->told_peer ? PARTING_MS : loop->server->config.stall_ms);
    bridge->next = loop->parting;
    bridge->link = &loop->parting;
    if (bridge->next)
        bridge->next->link = &bridge->next;
    loop->parting = bridge;
    empty_pair(bridge);
    settle(bridge);
}

void cs_tls_bridges_turn(struct loop *loop) {
    for (struct tls_bridge *bridge = loop->parting, *next; bridge; bridge = next) {
        next = bridge->next;
        if (loop->destroying || cs_now(loop) >= bridge->deadline)
            close_bridge(bridge);
    }
}

struct pieces {
    const struct iovec *parts;
    size_t count, at;
};

/* Joins pieces, so that each record is as full as possible. */
static size_t fill(struct pieces *from, uint8_t chunk[CHUNK]) {
    size_t filled = 0;
    while (from->count && filled < CHUNK) {
        size_t left = from->parts->iov_len - from->at, taken = left < CHUNK - filled ? left : CHUNK - filled;
        memcpy(chunk + filled, (const uint8_t *)from->parts->iov_base + from->at, taken);
        filled += taken;
        from->at += taken;
        if (from->at == from->parts->iov_len)
            *from = (struct pieces){from->parts + 1, from->count - 1, 0};
    }
    return filled;
}

ssize_t cs_tls_bridge_send(struct tls_bridge *bridge, const struct iovec *parts, size_t count) {
    uint8_t chunk[CHUNK];
    struct pieces pieces = {parts, count, 0};
    size_t taken = 0;
    empty_pair(bridge);
    while (pieces.count && !cs_tls_bridge_is_full(bridge) && !bridge->broken) {
        for (size_t filled; bridge->out.count < CUT && (filled = fill(&pieces, chunk)); taken += filled)
            cs_tls_bridge_encrypt(bridge, chunk, filled);
        cs_tls_bridge_flush(bridge);
    }
    await(bridge);
    return bridge->broken ? -1 : (ssize_t)taken;
}

void cs_tls_bridge_keep(struct tls_bridge *bridge, const uint8_t *rest, size_t count) {
    if (!cs_bytes_add(&bridge->rest, rest, count))
        bridge->broken = true;
}

void cs_tls_bridge_forsake(struct tls_bridge *bridge) {
    bridge->broken = true;
    cs_bytes_free(&bridge->out);
    cs_bytes_free(&bridge->rest);
}

void cs_tls_bridge_wait(struct tls_bridge *bridge) {
    bridge->wants_room = true;
}
