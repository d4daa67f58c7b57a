/* The deadlines of connections: pings, and the end when the peer is silent or takes nothing. */
#include "delivery/delivery.h"
#include "http/http.h"
#include "server/server.h"
#include "shared/socket.h"

#include <sys/socket.h>

/* True when data waits in `conn` and the peer has taken less than `least` bytes of it for stall_ms. */
static bool is_stuck(struct conn *conn, uint64_t now, uint64_t least) {
    /* The kernel accepts bytes long before a slow peer reads them. So the measure is the bytes that the peer's kernel has
       acknowledged. */
    uint64_t acked = cs_socket_count_acknowledged(conn->wire);
    if (acked - conn->acked >= least) {
        conn->acked = acked;
        conn->progressed = now;
    }
    return now - conn->progressed >= conn->loop->server->config.stall_ms;
}

static uint64_t sooner(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t check_open(struct conn *conn, uint64_t now) {
    const chatsock_config *config = &conn->loop->server->config;
    uint64_t silence = now - conn->received_at, dead = (uint64_t)config->heartbeat_ms + config->heartbeat_grace_ms;
    if (conn->waiting && is_stuck(conn, now, 1)) {
        cs_conn_close(conn, 4002, "no progress");
        return now + config->close_ms;
    }
    if (silence >= dead) {
        cs_conn_close(conn, 4000, "heartbeat");
        return now; /* a silent peer will not answer the close frame either */
    }
    if (silence >= config->heartbeat_ms && !conn->pinged) {
        conn->pinged = true;
        cs_conn_enqueue(conn, conn->loop->server->ping);
    }
    uint64_t next = conn->received_at + (conn->pinged ? dead : config->heartbeat_ms);
    return conn->waiting ? sooner(next, now + config->stall_ms / 4) : next;
}

static uint64_t kill_after(struct conn *conn, uint64_t now, uint64_t limit) {
    if (now - conn->since >= limit)
        cs_conn_kill(conn);
    return conn->since + limit;
}

static uint64_t check_request(struct conn *conn, uint64_t now, uint64_t limit) {
    if (now - conn->since >= limit) {
        unsigned status = conn->state == CS_BODY ? 408 : 503;
        cs_http_respond_status(conn, status, NULL,
                               status == 408 ? "The body did not arrive in time.\n"
                                             : "No answer in time. Try again later.\n");
        return now + conn->loop->server->config.stall_ms / 4;
    }
    return conn->since + limit;
}

/* A peer whose body does not come is told so, and so is one that a disk lets wait. */
static uint64_t check_receiving(struct conn *conn, uint64_t now) {
    unsigned stall = conn->loop->server->config.stall_ms;
    if (now - conn->progressed < stall)
        return conn->progressed + stall;
    bool waits_for_disk = conn->exchange->transfer->busy;
    cs_upload_cancel(conn);
    cs_http_respond_status(conn, waits_for_disk ? 503 : 408, NULL,
                           waits_for_disk ? "The body could not be stored in time. Try again later.\n"
                                          : "The body did not arrive in time.\n");
    return now + stall / 4;
}

static uint64_t check_responding(struct conn *conn, uint64_t now) {
    const chatsock_config *config = &conn->loop->server->config;
    if (conn->exchange && conn->exchange->over)
        return kill_after(conn, now, config->close_ms);
    /* A file may be so long that a byte now and then would keep the connection for ever. */
    bool has_file = conn->exchange && conn->exchange->transfer;
    if (is_stuck(conn, now, has_file ? CS_PROGRESS_BYTES : 1))
        cs_conn_kill(conn);
    return now + config->stall_ms / 4;
}

uint64_t cs_conn_check_deadlines(struct conn *conn, uint64_t now) {
    const chatsock_config *config = &conn->loop->server->config;
    switch (conn->state) {
    case CS_HEADER:
        return kill_after(conn, now, config->header_ms);
    case CS_BODY:
    case CS_REQUEST:
        return check_request(conn, now, config->request_ms);
    case CS_RECEIVING:
        return check_receiving(conn, now);
    case CS_RESPONDING:
        return check_responding(conn, now);
    case CS_OPEN:
        return check_open(conn, now);
    case CS_CLOSING:
        return kill_after(conn, now, conn->code == 4000 ? 0 : config->close_ms);
    case CS_GONE:
        if (conn->drops) /* after an error it would not understand the answer to its close frame, and wait for one */
            shutdown(conn->fd, SHUT_WR);
        break;
    }
    return now + 60000; /* libwebsockets closes it */
}
