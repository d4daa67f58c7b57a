/*
 * What OpenSSL makes of a tunnel's bytes.
 *
 * OpenSSL writes into memory, which never blocks: a write is taken whole or the connection is broken. So it is given no
 * more than the socket takes soon: the rest of a long frame waits in plain, and is encrypted piece by piece.
 *
 * OpenSSL reads until it has something for us. A peer that sends nothing but new keys, empty records or alerts would so
 * keep it for itself: it gets so many bytes for each turn of the loop (TURN_BYTES), and a connection bears so many records
 * without plain text (SILENT_RECORDS).
 */
#include "tunnel.h"

#include <errno.h>
#include <sys/socket.h>

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
        SSL_set_shutdown(ssl, SSL_get_shutdown(ssl) | SSL_RECEIVED_SHUTDOWN); /* it reads no further: see cs_tunnel_decrypt() */
}

bool cs_tunnel_attach(struct tunnel *tunnel) {
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

void cs_tunnel_encrypt(struct tunnel *tunnel, const void *bytes, size_t count) {
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

void cs_tunnel_flush(struct tunnel *tunnel) {
    struct bytes *rest = &tunnel->rest;
    send_out(tunnel);
    while (rest->count && !tunnel->out.count && !tunnel->broken) {
        size_t piece = rest->count < CUT ? rest->count : CUT;
        cs_tunnel_encrypt(tunnel, rest->data + rest->from, piece);
        cs_bytes_drop(rest, piece);
        send_out(tunnel);
    }
}

bool cs_tunnel_is_full(const struct tunnel *tunnel) {
    return tunnel->out.count || tunnel->rest.count;
}

size_t cs_tunnel_decrypt(struct tunnel *tunnel, uint8_t *to, size_t room) {
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
