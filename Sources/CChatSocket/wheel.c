/*
 * Time. libwebsockets keeps a timer for each connection in one sorted list that is walked from its head. So with many
 * connections, each new one costs time proportional to their number. Here a coarse wheel checks each connection when
 * something may be due, and puts it on again further on. Deadlines are late by at most a tick.
 */
#include "http.h"

#include <sys/socket.h>

void cs_wheel_remove(struct conn *conn) {
    if (!conn->wheel_link)
        return;
    *conn->wheel_link = conn->wheel_next;
    if (conn->wheel_next)
        conn->wheel_next->wheel_link = conn->wheel_link;
    conn->wheel_link = NULL;
}

void cs_wheel_put(struct conn *conn, uint64_t at_ms) {
    struct loop *loop = conn->loop;
    uint64_t tick = at_ms / loop->tick_ms + 1, soonest = loop->ticked + 1;
    if (tick < soonest)
        tick = soonest;
    if (tick >= soonest + CS_WHEEL_SLOTS)
        tick = soonest + CS_WHEEL_SLOTS - 1; /* beyond the wheel: checked early, and put on again */
    cs_wheel_remove(conn);
    struct conn **slot = &loop->wheel[tick % CS_WHEEL_SLOTS];
    conn->wheel_next = *slot;
    conn->wheel_link = slot;
    if (*slot)
        (*slot)->wheel_link = &conn->wheel_next;
    *slot = conn;
}

/* True when data waits in `conn` and the peer has taken none of it for stall_ms. */
static bool is_stuck(struct conn *conn, uint64_t now) {
    uint64_t acked = cs_bytes_acknowledged(conn->wire);
    if (acked != conn->acked) {
        conn->acked = acked;
        conn->progressed = now;
    }
    return now - conn->progressed >= conn->loop->server->config.stall_ms;
}

static uint64_t sooner(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t look_at_open(struct conn *conn, uint64_t now) {
    const chatsock_config *config = &conn->loop->server->config;
    uint64_t silence = now - conn->heard, dead = (uint64_t)config->heartbeat_ms + config->heartbeat_grace_ms;
    if (conn->waiting && is_stuck(conn, now)) {
        cs_close(conn, 4002, "no progress");
        return now + config->close_ms;
    }
    if (silence >= dead) {
        cs_close(conn, 4000, "heartbeat");
        return now; /* a silent peer will not answer the close frame either */
    }
    if (silence >= config->heartbeat_ms && !conn->pinged) {
        conn->pinged = true;
        cs_queue(conn, conn->loop->server->ping);
    }
    uint64_t next = conn->heard + (conn->pinged ? dead : config->heartbeat_ms);
    return conn->waiting ? sooner(next, now + config->stall_ms / 4) : next;
}

static uint64_t kill_after(struct conn *conn, uint64_t now, uint64_t limit) {
    if (now - conn->since >= limit)
        cs_kill(conn);
    return conn->since + limit;
}

static uint64_t look_at_request(struct conn *conn, uint64_t now, uint64_t limit) {
    if (now - conn->since >= limit) {
        unsigned status = conn->state == CS_BODY ? 408 : 503;
        cs_http_answer_status(conn, status, status == 408 ? "The body did not arrive in time.\n"
                                                          : "No answer in time. Try again later.\n");
        return now + conn->loop->server->config.stall_ms / 4;
    }
    return conn->since + limit;
}

static uint64_t look_at(struct conn *conn, uint64_t now) {
    const chatsock_config *config = &conn->loop->server->config;
    switch (conn->state) {
    case CS_HEADER:
        return kill_after(conn, now, config->header_ms);
    case CS_BODY:
    case CS_REQUEST:
        return look_at_request(conn, now, config->request_ms);
    case CS_RESPONDING:
        if (is_stuck(conn, now))
            cs_kill(conn);
        return now + config->stall_ms / 4;
    case CS_OPEN:
        return look_at_open(conn, now);
    case CS_CLOSING:
        return kill_after(conn, now, conn->code == 4000 ? 0 : config->close_ms);
    case CS_GONE:
        if (conn->drops) /* after an error it would not understand the answer to its close frame, and wait for one */
            shutdown(conn->fd, SHUT_WR);
        break;
    }
    return now + 60000; /* libwebsockets closes it */
}

void cs_wheel_turn(struct loop *loop) {
    uint64_t now = cs_now(loop), tick = now / loop->tick_ms;
    while (loop->ticked < tick) {
        struct conn *due = loop->wheel[++loop->ticked % CS_WHEEL_SLOTS];
        loop->wheel[loop->ticked % CS_WHEEL_SLOTS] = NULL;
        while (due) {
            struct conn *next = due->wheel_next;
            due->wheel_link = NULL;
            uint64_t at = look_at(due, now);
            if (!due->wheel_link) /* else it was put on the wheel meanwhile */
                cs_wheel_put(due, at);
            due = next;
        }
    }
}
