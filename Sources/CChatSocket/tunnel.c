/*
 * TLS, which ends here: libwebsockets gets one end of a pair of local sockets and knows nothing of it, so that what
 * holds for plain connections holds for these, and the library's own TLS, which a peer can make spin, is not in use.
 *
 * First a tunnel is the connection's door: it shakes hands and waits for the whole header of the request. Then what the
 * peer says goes through the pair. What libwebsockets says comes through it, too, but what is sent to readers takes no
 * such way round: it is encrypted from where it lies (cs_tunnel_send). Both are whole frames, and the pair is emptied
 * before anything is sent past it, so that neither cuts the other.
 */
#include "tunnel.h"

#include <errno.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- the end ---- */

static void on_closed(uv_handle_t *handle) {
    struct tunnel *tunnel = handle->data;
    if (--tunnel->handles)
        return;
    close(tunnel->peer.fd);
    if (tunnel->pair.used)
        close(tunnel->pair.fd);
    struct conn *conn = tunnel->conn;
    struct loop *loop = tunnel->loop;
    SSL_free(tunnel->ssl);
    cs_bytes_free(&tunnel->in);
    cs_bytes_free(&tunnel->out);
    cs_bytes_free(&tunnel->rest);
    if (conn)
        cs_conn_free(conn);
    else
        cs_connection_left(loop, &tunnel->address, tunnel->spare ? CS_SPARE : CS_ORDINARY);
    free(tunnel);
    loop->tunnels--;
    cs_loop_maybe_stopped(loop);
}

static void unlist(struct tunnel *tunnel) {
    if (!tunnel->link)
        return;
    *tunnel->link = tunnel->next;
    if (tunnel->next)
        tunnel->next->link = tunnel->link;
    tunnel->link = NULL;
}

static void stop_watching(struct watched *watched) {
    if (!watched->used)
        return;
    uv_poll_stop(&watched->poll);
    uv_close((uv_handle_t *)&watched->poll, on_closed);
}

static void close_tunnel(struct tunnel *tunnel) {
    if (tunnel->closing)
        return;
    tunnel->closing = true;
    unlist(tunnel);
    stop_watching(&tunnel->peer);
    stop_watching(&tunnel->pair);
}

/* ---- to the peer ---- */

/* What libwebsockets has said by itself: its answer to a handshake, pongs, closes. */
static void empty_pair(struct tunnel *tunnel) {
    uint8_t chunk[CHUNK];
    while (tunnel->open && !tunnel->pair_ended && !cs_tunnel_is_full(tunnel) && !tunnel->broken) {
        ssize_t count = recv(tunnel->pair.fd, chunk, sizeof chunk, MSG_DONTWAIT);
        if (count < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        tunnel->pair_ended = count <= 0;
        cs_tunnel_encrypt(tunnel, chunk, count > 0 ? (size_t)count : 0);
        cs_tunnel_flush(tunnel);
    }
}

/* Says, after everything else, that this was all. */
static void say_goodbye(struct tunnel *tunnel) {
    if (tunnel->told_peer || tunnel->broken || cs_tunnel_is_full(tunnel) || !(tunnel->pair_ended || tunnel->refused))
        return;
    tunnel->told_peer = true;
    ERR_clear_error();
    if (tunnel->shaken)
        SSL_shutdown(tunnel->ssl);
    cs_tunnel_flush(tunnel); /* a few bytes into an empty socket */
    tunnel->deadline = cs_now(tunnel->loop) + PARTING_MS;
    shutdown(tunnel->peer.fd, SHUT_WR);
}

/* ---- from the peer ---- */

/* To libwebsockets; what does not fit stays in `in`, and the peer is not read until it does. */
static void pass_on(struct tunnel *tunnel, const uint8_t *bytes, size_t count) {
    ssize_t sent = send(tunnel->pair.fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        tunnel->deaf = true; /* it has closed: nobody is there to hear */
        return;
    }
    size_t taken = sent < 0 ? 0 : (size_t)sent;
    if (taken < count && !cs_bytes_add(&tunnel->in, bytes + taken, count - taken))
        tunnel->broken = true;
}

static void pass_on_rest(struct tunnel *tunnel) {
    struct bytes rest = tunnel->in;
    tunnel->in = (struct bytes){0};
    if (rest.count)
        pass_on(tunnel, rest.data + rest.from, rest.count);
    cs_bytes_free(&rest);
}

static void read_on(struct tunnel *tunnel) {
    uint8_t chunk[CHUNK];
    size_t count;
    while (!tunnel->in.count && !tunnel->deaf && !tunnel->broken && (count = cs_tunnel_decrypt(tunnel, chunk, sizeof chunk)))
        pass_on(tunnel, chunk, count);
}

/* ---- the door ---- */

static void turn_away(struct tunnel *tunnel, chatsock_refusal why) {
    CS_COUNT(tunnel->loop, refused[why], 1);
    tunnel->refused = tunnel->deaf = true; /* until the peer ends or the time for its header is over */
}

void cs_tunnel_say(struct tunnel *tunnel, const void *bytes, size_t count) {
    if (tunnel->shaken)
        cs_tunnel_encrypt(tunnel, bytes, count);
    else if (!cs_bytes_add(&tunnel->out, bytes, count))
        tunnel->broken = true;
}

/* Who speaks plain HTTP here gets a plain answer. */
static void refuse_hands(struct tunnel *tunnel) {
    if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST) {
        cs_bytes_free(&tunnel->out);
        cs_http_refuse(tunnel->conn, 400, NULL, "This port speaks TLS: use https:// or wss://.\n");
    }
    turn_away(tunnel, CHATSOCK_REFUSED_TLS);
}

static void shake(struct tunnel *tunnel) {
    ERR_clear_error();
    int done = SSL_accept(tunnel->ssl);
    if (done == 1)
        tunnel->shaken = true;
    else if (SSL_get_error(tunnel->ssl, done) != SSL_ERROR_WANT_READ && !tunnel->peer_ended)
        refuse_hands(tunnel);
    else if (tunnel->received > SHAKE_LIMIT)
        turn_away(tunnel, CHATSOCK_REFUSED_TLS);
}

static bool watch(struct tunnel *tunnel, struct watched *watched, int fd, uv_poll_cb on_event) {
    watched->fd = fd;
    watched->used = !uv_poll_init(&tunnel->loop->uv, &watched->poll, fd);
    watched->poll.data = tunnel;
    tunnel->handles += watched->used;
    return watched->used && !uv_poll_start(&watched->poll, watched->events = UV_READABLE, on_event);
}

static void on_pair(uv_poll_t *poll, int status, int events);

static void let_in(struct tunnel *tunnel) {
    int pair[2], room = PAIR_ROOM;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair)) {
        tunnel->broken = true;
        return;
    }
    if (!watch(tunnel, &tunnel->pair, pair[0], on_pair)) {
        close(pair[1]);
        if (!tunnel->pair.used)
            close(pair[0]);
        tunnel->broken = true;
        return;
    }
    setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room); /* what libwebsockets says waits at its place */
    tunnel->open = true;
    tunnel->conn->fd = pair[1];
    pass_on_rest(tunnel);
    cs_hand_over(tunnel->conn);
}

static void read_header(struct tunnel *tunnel) {
    uint8_t chunk[CHUNK];
    struct refusal refusal;
    bool known = false;
    while (!known) {
        size_t count = cs_tunnel_decrypt(tunnel, chunk, sizeof chunk);
        if (!count && tunnel->deaf)
            turn_away(tunnel, CHATSOCK_REFUSED_TLS);
        if (!count)
            return;
        if (!cs_bytes_add(&tunnel->in, chunk, count)) {
            tunnel->broken = true;
            return;
        }
        known = cs_judge_header(&tunnel->header, (const char *)tunnel->in.data + tunnel->in.from, tunnel->in.count,
                                &refusal);
    }
    if (refusal.status) {
        cs_http_refuse(tunnel->conn, refusal.status, refusal.header, refusal.text);
        turn_away(tunnel, refusal.why);
    } else {
        let_in(tunnel);
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

static bool is_over(const struct tunnel *tunnel) {
    if (tunnel->conn && tunnel->open)
        return false; /* libwebsockets ends it */
    return tunnel->broken || (tunnel->peer_ended && (tunnel->told_peer || !tunnel->open)) ||
           (!tunnel->conn && tunnel->loop->destroying);
}

/* Tells libwebsockets of an end. */
static void tell_pair(struct tunnel *tunnel) {
    if (!tunnel->open || tunnel->told_pair || tunnel->in.count || !(tunnel->peer_ended || tunnel->broken))
        return;
    tunnel->told_pair = true;
    shutdown(tunnel->pair.fd, tunnel->broken ? SHUT_RDWR : SHUT_WR);
}

static void await(struct tunnel *tunnel) {
    bool reads = !tunnel->peer_ended && (tunnel->deaf || !tunnel->open || !tunnel->in.count);
    bool hears = tunnel->open && !tunnel->pair_ended && !cs_tunnel_is_full(tunnel);
    bool tells = tunnel->open && !tunnel->deaf && tunnel->in.count, writes = tunnel->out.count;
    if (tunnel->broken || tunnel->closing)
        reads = hears = tells = writes = false;
    want(&tunnel->peer, (reads ? UV_READABLE : 0) | (writes ? UV_WRITABLE : 0), on_peer);
    want(&tunnel->pair, (hears ? UV_READABLE : 0) | (tells ? UV_WRITABLE : 0), on_pair);
}

/* After anything has happened: what follows from it, and what is waited for next. */
static void settle(struct tunnel *tunnel) {
    cs_tunnel_flush(tunnel);
    say_goodbye(tunnel);
    tell_pair(tunnel);
    if (tunnel->closing)
        return;
    if (is_over(tunnel)) {
        struct conn *conn = tunnel->conn;
        if (conn)
            cs_kill(conn);
        else
            close_tunnel(tunnel);
        return;
    }
    await(tunnel);
}

/* The connection goes on where it had to stop. */
static void offer_room(struct tunnel *tunnel) {
    if (!tunnel->wants_room || cs_tunnel_is_full(tunnel) || tunnel->broken || !tunnel->conn)
        return;
    tunnel->wants_room = false;
    cs_writable(tunnel->conn);
}

static void read_peer(struct tunnel *tunnel) {
    tunnel->readable = tunnel->received + TURN_BYTES;
    if (!tunnel->shaken && !tunnel->deaf)
        shake(tunnel);
    if (tunnel->shaken && !tunnel->open && !tunnel->deaf)
        read_header(tunnel);
    if (tunnel->open && !tunnel->deaf)
        read_on(tunnel);
    if (tunnel->deaf && !tunnel->peer_ended && cs_discard(tunnel->peer.fd))
        tunnel->peer_ended = true;
}

static void on_peer(uv_poll_t *poll, int status, int events) {
    struct tunnel *tunnel = poll->data;
    if (status < 0) {
        tunnel->peer.events = 0; /* libuv has stopped it */
        tunnel->broken = true;
    } else if (events & UV_READABLE && !tunnel->peer_ended) {
        read_peer(tunnel);
    }
    settle(tunnel);
    if (!tunnel->closing)
        offer_room(tunnel);
}

static void on_pair(uv_poll_t *poll, int status, int events) {
    struct tunnel *tunnel = poll->data;
    if (status < 0)
        tunnel->pair.events = 0; /* libuv has stopped it: the other end is closed */
    if (status < 0 || events & UV_READABLE)
        empty_pair(tunnel);
    if (tunnel->in.count) {
        pass_on_rest(tunnel);
        tunnel->readable = tunnel->received + TURN_BYTES;
        if (!tunnel->in.count)
            read_on(tunnel); /* OpenSSL may hold what the socket no longer has */
    }
    settle(tunnel);
}

/* ---- the connection's side ---- */

bool cs_tunnel_open(struct conn *conn) {
    struct tunnel *tunnel = calloc(1, sizeof *tunnel);
    if (!tunnel)
        return false;
    tunnel->loop = conn->loop;
    tunnel->conn = conn;
    tunnel->ssl = cs_tls_new(conn->loop->server);
    if (!tunnel->ssl || !cs_tunnel_attach(tunnel) || !watch(tunnel, &tunnel->peer, conn->fd, on_peer)) {
        SSL_free(tunnel->ssl);
        free(tunnel);
        return false;
    }
    conn->tunnel = tunnel;
    conn->loop->tunnels++;
    return true;
}

bool cs_tunnel_is_open(const struct tunnel *tunnel) {
    return tunnel->open;
}

void cs_tunnel_close(struct conn *conn) {
    struct tunnel *tunnel = conn->tunnel;
    conn->tunnel = NULL;
    close_tunnel(tunnel);
}

void cs_tunnel_part(struct conn *conn) {
    struct tunnel *tunnel = conn->tunnel;
    struct loop *loop = tunnel->loop;
    conn->tunnel = NULL;
    tunnel->conn = NULL;
    tunnel->address = conn->address;
    tunnel->spare = conn->spare;
    tunnel->deaf = true;
    if (tunnel->rest.count > CUT)
        cs_tunnel_forsake(tunnel); /* of no connection any more, it would count for nobody */
    tunnel->deadline = cs_now(loop) + (tunnel->told_peer ? PARTING_MS : loop->server->config.stall_ms);
    tunnel->next = loop->parting;
    tunnel->link = &loop->parting;
    if (tunnel->next)
        tunnel->next->link = &tunnel->next;
    loop->parting = tunnel;
    empty_pair(tunnel);
    settle(tunnel);
}

void cs_tunnels_turn(struct loop *loop) {
    for (struct tunnel *tunnel = loop->parting, *next; tunnel; tunnel = next) {
        next = tunnel->next;
        if (loop->destroying || cs_now(loop) >= tunnel->deadline)
            close_tunnel(tunnel);
    }
}

struct pieces {
    const struct iovec *parts;
    size_t count, at;
};

/* Joins pieces, so that each record is as full as it can be. */
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

ssize_t cs_tunnel_send(struct tunnel *tunnel, const struct iovec *parts, size_t count) {
    uint8_t chunk[CHUNK];
    struct pieces pieces = {parts, count, 0};
    size_t taken = 0;
    empty_pair(tunnel);
    while (pieces.count && !cs_tunnel_is_full(tunnel) && !tunnel->broken) {
        for (size_t filled; tunnel->out.count < CUT && (filled = fill(&pieces, chunk)); taken += filled)
            cs_tunnel_encrypt(tunnel, chunk, filled);
        cs_tunnel_flush(tunnel);
    }
    await(tunnel);
    return tunnel->broken ? -1 : (ssize_t)taken;
}

void cs_tunnel_keep(struct tunnel *tunnel, const uint8_t *rest, size_t count) {
    if (!cs_bytes_add(&tunnel->rest, rest, count))
        tunnel->broken = true;
}

void cs_tunnel_forsake(struct tunnel *tunnel) {
    tunnel->broken = true;
    cs_bytes_free(&tunnel->out);
    cs_bytes_free(&tunnel->rest);
}

void cs_tunnel_wait(struct tunnel *tunnel) {
    tunnel->wants_room = true;
}
