/*
 * The bytes of a bridge on their way through OpenSSL.
 *
 * OpenSSL writes into memory, which never blocks: either all of a write is taken, or the connection is broken. So it
 * gets no more than the socket will take soon. The rest of a long frame waits in plain text, and is encrypted piece by
 * piece.
 *
 * OpenSSL reads until it has plain text for us. A peer that sends only new keys, empty records or alerts could keep it
 * busy for ever. So OpenSSL gets a limited number of bytes in each turn of the loop (TURN_BYTES), and a connection may
 * send a limited number of records without plain text (SILENT_RECORDS).
 */
#include "tls/tls_bridge.h"

#include <errno.h>
#include <sys/socket.h>

/* ---- a queue of bytes ---- */

bool cs_bytes_add(struct bytes *bytes, const void *more, size_t count) {
    size_t end = bytes->from + bytes->count;
    if (end + count > bytes->room) {
        size_t room = bytes->room ? bytes->room : 512;
        while (room < bytes->count + count)
            room *= 2;
        uint8_t *moved = malloc(room);
        if (!moved)
            return false;
        if (bytes->count)
            memcpy(moved, bytes->data + bytes->from, bytes->count);
        free(bytes->data);
        *bytes = (struct bytes){.data = moved, .count = bytes->count, .room = room};
        end = bytes->count;
    }
    memcpy(bytes->data + end, more, count);
    bytes->count += count;
    return true;
}

void cs_bytes_drop(struct bytes *bytes, size_t count) {
    bytes->from += count;
    bytes->count -= count;
    if (!bytes->count)
        cs_bytes_free(bytes);
}

void cs_bytes_free(struct bytes *bytes) {
    free(bytes->data);
    *bytes = (struct bytes){0};
}

/* ---- between OpenSSL and the socket ---- */

static int from_peer(BIO *bio, char *to, int room) {
    struct tls_bridge *bridge = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (room <= 0)
        return 0;
    if (bridge->received >= bridge->readable) {
        BIO_set_retry_read(bio); /* the socket wakes the loop again */
        return -1;
    }
    ssize_t count = recv(bridge->peer.fd, to, (size_t)room, MSG_DONTWAIT);
    if (count > 0)
        bridge->received += (size_t)count;
    else if (count < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_read(bio);
    else if (count < 0)
        bridge->broken = bridge->peer_ended = true;
    else
        bridge->peer_ended = true;
    return (int)count;
}

static int to_peer(BIO *bio, const char *from, int count) {
    struct tls_bridge *bridge = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (count <= 0)
        return 0;
    bool too_much = !bridge->is_encrypting && bridge->out.count > OUT_LIMIT;
    if (too_much || !cs_bytes_add(&bridge->out, from, (size_t)count)) {
        bridge->broken = true;
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
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "bridge");
    if (!method)
        return;
    BIO_meth_set_read(method, from_peer);
    BIO_meth_set_write(method, to_peer);
    BIO_meth_set_ctrl(method, control);
}

/* OpenSSL calls this for each record, also for those that it writes. */
static void on_record(int written, int version, int what, const void *bytes, size_t count, SSL *ssl, void *pointer) {
    struct tls_bridge *bridge = pointer;
    (void)version, (void)bytes, (void)count;
    if (written || what != SSL3_RT_HEADER || !bridge->handshake_done)
        return;
    uint64_t now = cs_loop_now(bridge->loop), seconds = (now - bridge->forgiven) / 1000;
    bridge->forgiven += seconds * 1000;
    bridge->silent = bridge->silent > seconds ? bridge->silent - (unsigned)seconds : 0;
    if (++bridge->silent > SILENT_RECORDS)
        SSL_set_shutdown(ssl, SSL_get_shutdown(ssl) | SSL_RECEIVED_SHUTDOWN); /* see cs_tls_bridge_decrypt() */
}

bool cs_tls_bridge_attach(struct tls_bridge *bridge) {
    pthread_once(&made, make_method);
    BIO *bio = method ? BIO_new(method) : NULL;
    if (!bio)
        return false;
    BIO_set_data(bio, bridge);
    BIO_set_init(bio, 1);
    SSL_set_bio(bridge->ssl, bio, bio);
    SSL_set_read_ahead(bridge->ssl, 1); /* one read for each record instead of two */
    SSL_set_msg_callback(bridge->ssl, on_record);
    SSL_set_msg_callback_arg(bridge->ssl, bridge);
    bridge->forgiven = cs_loop_now(bridge->loop);
    SSL_set_accept_state(bridge->ssl);
    return true;
}

void cs_tls_bridge_encrypt(struct tls_bridge *bridge, const void *bytes, size_t count) {
    ERR_clear_error();
    bridge->is_encrypting = true;
    if (count && !bridge->broken && SSL_write(bridge->ssl, bytes, (int)count) != (int)count)
        bridge->broken = true;
    bridge->is_encrypting = false;
}

/* Sends what is encrypted, as far as the socket takes it. */
static void send_out(struct tls_bridge *bridge) {
    struct bytes *out = &bridge->out;
    while (out->count && !bridge->broken) {
        ssize_t sent = send(bridge->peer.fd, out->data + out->from, out->count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (sent < 0)
            bridge->broken = true;
        else
            cs_bytes_drop(out, (size_t)sent);
        bridge->deadline = cs_loop_now(bridge->loop) + bridge->loop->server->config.stall_ms;
    }
}

void cs_tls_bridge_flush(struct tls_bridge *bridge) {
    struct bytes *rest = &bridge->rest;
    send_out(bridge);
    while (rest->count && !bridge->out.count && !bridge->broken) {
        size_t piece = rest->count < CUT ? rest->count : CUT;
        cs_tls_bridge_encrypt(bridge, rest->data + rest->from, piece);
        cs_bytes_drop(rest, piece);
        send_out(bridge);
    }
}

bool cs_tls_bridge_is_full(const struct tls_bridge *bridge) {
    return bridge->out.count || bridge->rest.count;
}

size_t cs_tls_bridge_decrypt(struct tls_bridge *bridge, uint8_t *to, size_t room) {
    ERR_clear_error();
    int count = SSL_read(bridge->ssl, to, (int)room);
    if (count > 0) {
        bridge->silent -= bridge->silent > 0;
        return (size_t)count;
    }
    if (bridge->silent > SILENT_RECORDS) {
        bridge->discards_input = bridge->broken = true;
        return 0;
    }
    int why = SSL_get_error(bridge->ssl, count);
    if (why == SSL_ERROR_ZERO_RETURN)
        bridge->peer_ended = true;
    else if (why != SSL_ERROR_WANT_READ && !bridge->peer_ended)
        bridge->discards_input = bridge->peer_ended = true; /* no TLS any more; OpenSSL has sent an alert */
    return 0;
}
