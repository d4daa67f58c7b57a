/*
 * TLS ends here. For a WebSocket, libwebsockets gets one end of a pair of local sockets and knows nothing of TLS. So all
 * that holds for plain connections holds for these, too, and the library's own TLS, which a peer can make spin, is not
 * in use.
 *
 * At first a bridge is the connection's preflight (tls_accept.c). After that, the peer's input goes through the pair to
 * libwebsockets, and so does the output of libwebsockets to the peer. Frames for readers do not go through the pair:
 * they are encrypted from where they lie (cs_tls_bridge_send). Both are whole frames, and the pair is emptied before
 * anything is sent past it, so that neither cuts the other.
 */
#include "tls/tls_bridge.h"

#include <errno.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- the end ---- */

bool cs_tls_bridge_release(struct tls_bridge *bridge) {
    if (--bridge->handles)
        return false;
    close(bridge->peer.fd);
    if (bridge->pair.used)
        close(bridge->pair.fd);
    SSL_free(bridge->ssl);
    cs_bytes_free(&bridge->in);
    cs_bytes_free(&bridge->out);
    cs_bytes_free(&bridge->rest);
    bridge->loop->bridges.count--;
    free(bridge);
    return true;
}

/* Called for each handle of a bridge that has lived on without its connection. */
static void on_detached_closed(uv_handle_t *handle) {
    struct tls_bridge *bridge = handle->data;
    struct loop *loop = bridge->loop;
    struct in6_addr address = bridge->address;
    enum cs_place_kind kind = bridge->spare ? CS_SPARE : CS_ORDINARY;
    if (cs_tls_bridge_release(bridge))
        cs_place_release(loop, &address, kind);
}

static void unlist(struct tls_bridge *bridge) {
    if (!bridge->link)
        return;
    *bridge->link = bridge->next;
    if (bridge->next)
        bridge->next->link = bridge->link;
    bridge->link = NULL;
}

static void stop_watching(struct watched *watched, uv_close_cb on_closed) {
    if (!watched->used)
        return;
    uv_poll_stop(&watched->poll);
    uv_close((uv_handle_t *)&watched->poll, on_closed);
}

void cs_tls_bridge_close(struct tls_bridge *bridge, uv_close_cb on_closed) {
    if (bridge->closing)
        return;
    bridge->closing = true;
    unlist(bridge);
    stop_watching(&bridge->peer, on_closed);
    stop_watching(&bridge->pair, on_closed);
}

/* ---- to the peer ---- */

void cs_tls_bridge_drain_pair(struct tls_bridge *bridge) {
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
static void shut_down_peer(struct tls_bridge *bridge) {
    bool is_time = bridge->pair_ended || bridge->refused;
    if (bridge->peer_notified || bridge->broken || cs_tls_bridge_is_full(bridge) || !is_time)
        return;
    bridge->peer_notified = true;
    ERR_clear_error();
    if (bridge->handshake_done)
        SSL_shutdown(bridge->ssl);
    cs_tls_bridge_flush(bridge); /* a few bytes into an empty socket */
    bridge->deadline = cs_loop_now(bridge->loop) + DETACHED_MS;
    shutdown(bridge->peer.fd, SHUT_WR);
}

/* ---- after each event ---- */

static void set_poll_events(struct watched *watched, int events) {
    if (!watched->used || watched->events == events)
        return;
    watched->events = events;
    if (events)
        uv_poll_start(&watched->poll, events, watched->on_event);
    else
        uv_poll_stop(&watched->poll);
}

/* A peer that ended after its request still gets the answer, also while the end of its body is written to a file. */
static bool is_answering(const struct tls_bridge *bridge) {
    return bridge->conn && (bridge->conn->state == CS_REQUEST || bridge->conn->state == CS_RECEIVING ||
                            bridge->conn->state == CS_RESPONDING);
}

static bool is_over(const struct tls_bridge *bridge) {
    if (bridge->conn && bridge->open)
        return false; /* libwebsockets ends it */
    return bridge->broken ||
           (bridge->peer_ended && (bridge->peer_notified || !(bridge->open || is_answering(bridge)))) ||
           (!bridge->conn && bridge->loop->destroying);
}

/* Reports to libwebsockets that the peer has ended. */
static void shut_down_pair(struct tls_bridge *bridge) {
    if (!bridge->open || bridge->pair_notified || bridge->in.count || !(bridge->peer_ended || bridge->broken))
        return;
    bridge->pair_notified = true;
    shutdown(bridge->pair.fd, bridge->broken ? SHUT_RDWR : SHUT_WR);
}

void cs_tls_bridge_update_polls(struct tls_bridge *bridge) {
    bool reads =
        !bridge->peer_ended && (bridge->discards_input || (bridge->open ? !bridge->in.count : !bridge->paused));
    bool reads_pair = bridge->open && !bridge->pair_ended && !cs_tls_bridge_is_full(bridge);
    bool writes_pair = bridge->open && !bridge->discards_input && bridge->in.count, writes = bridge->out.count;
    if (bridge->broken || bridge->closing)
        reads = reads_pair = writes_pair = writes = false;
    set_poll_events(&bridge->peer, (reads ? UV_READABLE : 0) | (writes ? UV_WRITABLE : 0));
    set_poll_events(&bridge->pair, (reads_pair ? UV_READABLE : 0) | (writes_pair ? UV_WRITABLE : 0));
}

void cs_tls_bridge_update(struct tls_bridge *bridge) {
    /* In this order: the end follows the last bytes. */
    cs_tls_bridge_flush(bridge);
    shut_down_peer(bridge);
    shut_down_pair(bridge);
    if (bridge->closing)
        return;
    if (is_over(bridge)) {
        struct conn *conn = bridge->conn;
        if (conn)
            cs_conn_kill(conn);
        else
            cs_tls_bridge_close(bridge, on_detached_closed);
        return;
    }
    cs_tls_bridge_update_polls(bridge);
}

/* ---- the connection's side ---- */

bool cs_tls_bridge_is_open(const struct tls_bridge *bridge) {
    return bridge->open;
}

void cs_tls_bridge_write(struct tls_bridge *bridge, const void *bytes, size_t count) {
    if (bridge->handshake_done)
        cs_tls_bridge_encrypt(bridge, bytes, count);
    else if (!cs_bytes_add(&bridge->out, bytes, count))
        bridge->broken = true;
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
    cs_tls_bridge_drain_pair(bridge); /* earlier output of libwebsockets precedes these bytes */
    while (pieces.count && !cs_tls_bridge_is_full(bridge) && !bridge->broken) {
        for (size_t filled; bridge->out.count < CUT && (filled = fill(&pieces, chunk)); taken += filled)
            cs_tls_bridge_encrypt(bridge, chunk, filled);
        cs_tls_bridge_flush(bridge);
    }
    cs_tls_bridge_update_polls(bridge);
    return bridge->broken ? -1 : (ssize_t)taken;
}

void cs_tls_bridge_enqueue(struct tls_bridge *bridge, const uint8_t *rest, size_t count) {
    if (!cs_bytes_add(&bridge->rest, rest, count))
        bridge->broken = true;
}

void cs_tls_bridge_discard_output(struct tls_bridge *bridge) {
    bridge->broken = true;
    cs_bytes_free(&bridge->out);
    cs_bytes_free(&bridge->rest);
}

void cs_tls_bridge_await_room(struct tls_bridge *bridge) {
    bridge->wants_room = true;
}

/* ---- without a connection ---- */

void cs_tls_bridge_detach(struct conn *conn) {
    struct tls_bridge *bridge = conn->bridge;
    struct loop *loop = bridge->loop;
    conn->bridge = NULL;
    bridge->conn = NULL;
    bridge->address = conn->address;
    bridge->spare = conn->spare;
    bridge->discards_input = true;
    if (bridge->rest.count > CUT)
        cs_tls_bridge_discard_output(bridge); /* the budget counts bytes by connection, and would not count these */
    bridge->deadline = cs_loop_now(loop) + (bridge->peer_notified ? DETACHED_MS : loop->server->config.stall_ms);
    bridge->next = loop->bridges.detached;
    bridge->link = &loop->bridges.detached;
    if (bridge->next)
        bridge->next->link = &bridge->next;
    loop->bridges.detached = bridge;
    cs_tls_bridge_drain_pair(bridge);
    cs_tls_bridge_update(bridge);
}

bool cs_tls_bridges_are_closed(const struct loop *loop) {
    return !loop->bridges.count;
}

void cs_tls_bridges_tick(struct loop *loop) {
    for (struct tls_bridge *bridge = loop->bridges.detached, *next; bridge; bridge = next) {
        next = bridge->next;
        if (loop->destroying || cs_loop_now(loop) >= bridge->deadline)
            cs_tls_bridge_close(bridge, on_detached_closed);
    }
}
