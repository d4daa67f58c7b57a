/*
 * TLS, which ends here: libwebsockets gets one end of a pair of local sockets and knows nothing of it, so that what
 * holds for plain connections holds for these, and the library's own TLS, which a peer can make spin, is not in use.
 *
 * First a tunnel is the connection's door: it shakes hands and waits for the whole header of the request. Then what the
 * peer says goes through the pair. What libwebsockets says comes through it, too, but what is sent to readers takes no
 * such way round: it is encrypted from where it lies (cs_tunnel_send). Both are whole frames, and the pair is emptied
 * before anything is sent past it, so that neither cuts the other.
 *
 * OpenSSL writes into memory, which never blocks: a write is taken whole or the connection is broken. So it is given no
 * more than the socket takes soon: the rest of a long frame waits in plain, and is encrypted piece by piece.
 *
 * OpenSSL reads until it has something for us. A peer that sends nothing but new keys, empty records or alerts would so
 * keep it for itself: it gets so many bytes for each turn of the loop (TURN_BYTES), and a connection bears so many records
 * without plain text (SILENT_RECORDS).
 */
#include "internal.h"

#include <errno.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CHUNK = 16384,         /* of plain text: what one TLS record holds */
    CUT = 4 * CHUNK,       /* given to OpenSSL before it is seen whether the socket takes it */
    OUT_LIMIT = 2 * CUT,   /* encrypted and not taken, at which OpenSSL may say no more by itself */
    TURN_BYTES = 2 * CHUNK, /* read from the peer in one turn of the loop */
    SILENT_RECORDS = 64,   /* without plain text: so many at once, and one more each second */
    SHAKE_LIMIT = 65536,   /* bytes from a peer until its request's header is whole */
    PAIR_ROOM = 32768,     /* bytes of the pair towards the peer */
    PARTING_MS = 2000,     /* for a peer to read what was said last, and to end */
};

struct tunnel {
    struct loop *loop;
    struct conn *conn; /* NULL: it has ended, and the peer is said goodbye to */
    SSL *ssl;
    struct watched {
        uv_poll_t poll;
        int fd, events;
        bool used;
    } peer, pair;          /* the peer's socket; our end of the pair */
    struct bytes out;      /* encrypted, for the peer */
    struct bytes rest;     /* plain, of a frame whose beginning is in `out` or gone: comes before anything else */
    struct bytes in;       /* plain: the header as it grows; then what the pair does not take */
    size_t received;
    size_t readable;       /* up to `received`, in this turn */
    struct cs_header header;
    unsigned silent;       /* records that held no plain text, of late */
    uint64_t forgiven;     /* ms: until when `silent` was counted down */
    bool shaken : 1;       /* hands */
    bool open : 1;         /* libwebsockets has the other end of the pair */
    bool refused : 1;      /* at the door */
    bool deaf : 1;         /* what still comes is thrown away */
    bool broken : 1;
    bool speaks : 1;       /* what OpenSSL writes was asked for */
    bool peer_ended : 1, pair_ended : 1; /* nothing more comes from there */
    bool told_pair : 1;    /* that the peer has ended */
    bool told_peer : 1;    /* that we have */
    bool wants_room : 1;   /* the connection waits for `out` to be empty */
    bool closing : 1;
    bool spare : 1;        /* as the connection was */
    unsigned handles;
    struct in6_addr address;
    uint64_t deadline;     /* ms, without a connection */
    struct tunnel *next, **link; /* among those without */
};

/* ---- OpenSSL's side of the peer's socket ---- */

static int from_peer(BIO *bio, char *to, int room) {
    struct tunnel *tunnel = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (room <= 0)
        return 0;
    if (tunnel->received >= tunnel->readable) {
        BIO_set_retry_read(bio); /* the socket wakes the loop again */
        return -1;
    }
    ssize_t count = recv(tunnel->peer.fd, to, (size_t)room, MSG_DONTWAIT);
    if (count > 0)
        tunnel->received += (size_t)count;
    else if (count < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_read(bio);
    else if (count < 0)
        tunnel->broken = tunnel->peer_ended = true;
    else
        tunnel->peer_ended = true;
    return (int)count;
}

static int to_peer(BIO *bio, const char *from, int count) {
    struct tunnel *tunnel = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (count <= 0)
        return 0;
    bool too_much = !tunnel->speaks && tunnel->out.count > OUT_LIMIT;
    if (too_much || !cs_bytes_add(&tunnel->out, from, (size_t)count)) {
        tunnel->broken = true;
        return -1;
    }
    return count;
}

static long control(BIO *bio, int what, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return what == BIO_CTRL_FLUSH;
}

static pthread_once_t made = PTHREAD_ONCE_INIT;
static BIO_METHOD *method;

static void make_method(void) {
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tunnel");
    if (!method)
        return;
    BIO_meth_set_read(method, from_peer);
    BIO_meth_set_write(method, to_peer);
    BIO_meth_set_ctrl(method, control);
}

/* OpenSSL tells of each record, of its own ones, too. */
static void on_record(int written, int version, int what, const void *bytes, size_t count, SSL *ssl, void *pointer) {
    struct tunnel *tunnel = pointer;
    (void)version, (void)bytes, (void)count;
    if (written || what != SSL3_RT_HEADER || !tunnel->shaken)
        return;
    uint64_t now = cs_now(tunnel->loop), seconds = (now - tunnel->forgiven) / 1000;
    tunnel->forgiven += seconds * 1000;
    tunnel->silent = tunnel->silent > seconds ? tunnel->silent - (unsigned)seconds : 0;
    if (++tunnel->silent > SILENT_RECORDS)
        SSL_set_shutdown(ssl, SSL_get_shutdown(ssl) | SSL_RECEIVED_SHUTDOWN); /* it reads no further: see decrypt() */
}

static bool attach_socket(struct tunnel *tunnel) {
    pthread_once(&made, make_method);
    BIO *bio = method ? BIO_new(method) : NULL;
    if (!bio)
        return false;
    BIO_set_data(bio, tunnel);
    BIO_set_init(bio, 1);
    SSL_set_bio(tunnel->ssl, bio, bio);
    SSL_set_read_ahead(tunnel->ssl, 1); /* one read for a record, not two */
    SSL_set_msg_callback(tunnel->ssl, on_record);
    SSL_set_msg_callback_arg(tunnel->ssl, tunnel);
    tunnel->forgiven = cs_now(tunnel->loop);
    SSL_set_accept_state(tunnel->ssl);
    return true;
}

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

static void encrypt(struct tunnel *tunnel, const void *bytes, size_t count) {
    ERR_clear_error();
    tunnel->speaks = true;
    if (count && !tunnel->broken && SSL_write(tunnel->ssl, bytes, (int)count) != (int)count)
        tunnel->broken = true;
    tunnel->speaks = false;
}

/* Sends what is encrypted, as far as the socket takes it. */
static void send_out(struct tunnel *tunnel) {
    struct bytes *out = &tunnel->out;
    while (out->count && !tunnel->broken) {
        ssize_t sent = send(tunnel->peer.fd, out->data + out->from, out->count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (sent < 0)
            tunnel->broken = true;
        else
            cs_bytes_drop(out, (size_t)sent);
        tunnel->deadline = cs_now(tunnel->loop) + tunnel->loop->server->config.stall_ms;
    }
}

/* And then what waits in plain. */
static void flush(struct tunnel *tunnel) {
    struct bytes *rest = &tunnel->rest;
    send_out(tunnel);
    while (rest->count && !tunnel->out.count && !tunnel->broken) {
        size_t piece = rest->count < CUT ? rest->count : CUT;
        encrypt(tunnel, rest->data + rest->from, piece);
        cs_bytes_drop(rest, piece);
        send_out(tunnel);
    }
}

/* Something waits for the socket. */
static bool is_full(const struct tunnel *tunnel) {
    return tunnel->out.count || tunnel->rest.count;
}

/* What libwebsockets has said by itself: its answer to a handshake, pongs, closes. */
static void empty_pair(struct tunnel *tunnel) {
    uint8_t chunk[CHUNK];
    while (tunnel->open && !tunnel->pair_ended && !is_full(tunnel) && !tunnel->broken) {
        ssize_t count = recv(tunnel->pair.fd, chunk, sizeof chunk, MSG_DONTWAIT);
        if (count < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        tunnel->pair_ended = count <= 0;
        encrypt(tunnel, chunk, count > 0 ? (size_t)count : 0);
        flush(tunnel);
    }
}

/* Says, after everything else, that this was all. */
static void say_goodbye(struct tunnel *tunnel) {
    if (tunnel->told_peer || tunnel->broken || is_full(tunnel) || !(tunnel->pair_ended || tunnel->refused))
        return;
    tunnel->told_peer = true;
    ERR_clear_error();
    if (tunnel->shaken)
        SSL_shutdown(tunnel->ssl);
    flush(tunnel); /* a few bytes into an empty socket */
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

/* Reads some plain text; 0 when there is no more for now. */
static size_t decrypt(struct tunnel *tunnel, uint8_t *to, size_t room) {
    ERR_clear_error();
    int count = SSL_read(tunnel->ssl, to, (int)room);
    if (count > 0) {
        tunnel->silent -= tunnel->silent > 0;
        return (size_t)count;
    }
    if (tunnel->silent > SILENT_RECORDS) {
        tunnel->deaf = tunnel->broken = true;
        return 0;
    }
    int why = SSL_get_error(tunnel->ssl, count);
    if (why == SSL_ERROR_ZERO_RETURN)
        tunnel->peer_ended = true;
    else if (why != SSL_ERROR_WANT_READ && !tunnel->peer_ended)
        tunnel->deaf = tunnel->peer_ended = true; /* no TLS any more; OpenSSL has said so to the peer */
    return 0;
}

static void read_on(struct tunnel *tunnel) {
    uint8_t chunk[CHUNK];
    size_t count;
    while (!tunnel->in.count && !tunnel->deaf && !tunnel->broken && (count = decrypt(tunnel, chunk, sizeof chunk)))
        pass_on(tunnel, chunk, count);
}

/* ---- the door ---- */

static void turn_away(struct tunnel *tunnel, chatsock_refusal why) {
    CS_COUNT(tunnel->loop, refused[why], 1);
    tunnel->refused = tunnel->deaf = true; /* until the peer ends or the time for its header is over */
}

void cs_tunnel_say(struct tunnel *tunnel, const void *bytes, size_t count) {
    if (tunnel->shaken)
        encrypt(tunnel, bytes, count);
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
        size_t count = decrypt(tunnel, chunk, sizeof chunk);
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
    bool hears = tunnel->open && !tunnel->pair_ended && !is_full(tunnel);
    bool tells = tunnel->open && !tunnel->deaf && tunnel->in.count, writes = tunnel->out.count;
    if (tunnel->broken || tunnel->closing)
        reads = hears = tells = writes = false;
    want(&tunnel->peer, (reads ? UV_READABLE : 0) | (writes ? UV_WRITABLE : 0), on_peer);
    want(&tunnel->pair, (hears ? UV_READABLE : 0) | (tells ? UV_WRITABLE : 0), on_pair);
}

/* After anything has happened: what follows from it, and what is waited for next. */
static void settle(struct tunnel *tunnel) {
    flush(tunnel);
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
    if (!tunnel->wants_room || is_full(tunnel) || tunnel->broken || !tunnel->conn)
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
    if (!tunnel->ssl || !attach_socket(tunnel) || !watch(tunnel, &tunnel->peer, conn->fd, on_peer)) {
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
    while (pieces.count && !is_full(tunnel) && !tunnel->broken) {
        for (size_t filled; tunnel->out.count < CUT && (filled = fill(&pieces, chunk)); taken += filled)
            encrypt(tunnel, chunk, filled);
        flush(tunnel);
    }
    await(tunnel);
    return tunnel->broken ? -1 : (ssize_t)taken;
}

void cs_tunnel_keep(struct tunnel *tunnel, const uint8_t *rest, size_t count) {
    if (!cs_bytes_add(&tunnel->rest, rest, count))
        tunnel->broken = true;
}

void cs_tunnel_wait(struct tunnel *tunnel) {
    tunnel->wants_room = true;
}
