/* Answers to plain HTTP: they are written to what carries the request, and then the next request is read, or the
   connection ends. */
#include "http/http.h"
#include "tls/tls.h"

#include <stdio.h>
#include <sys/socket.h>

/* ---- after the answer ---- */

/* A connection that stays has a new number, so an answer to its last request that comes too late finds nothing. */
static void await_next(struct conn *conn) {
    cs_exchange_free(conn);
    conn->kept = true;
    conn->identified = false;
    cs_slot_renew(conn);
    cs_conn_set_state(conn, CS_HEADER);
    cs_wheel_add(conn, conn->since + conn->loop->server->config.header_ms);
    conn->carrier->watch(conn, CS_WATCH_HEADER);
}

/* The peer gets time to read the answer: closing a socket with unread input resets it. */
static void start_linger(struct conn *conn) {
    cs_exchange_drop_answer(conn);
    cs_exchange_drop_transfer(conn);
    conn->exchange->over = true;
    cs_conn_set_state(conn, CS_RESPONDING);
    cs_wheel_add(conn, conn->since + conn->loop->server->config.close_ms);
    conn->carrier->watch(conn, CS_WATCH_END);
}

/* ---- writing ---- */

static size_t add_part(struct iovec *part, const void *bytes, size_t count, size_t *skipped) {
    size_t gone = *skipped < count ? *skipped : count;
    *skipped -= gone;
    *part = (struct iovec){.iov_base = (uint8_t *)(uintptr_t)bytes + gone, .iov_len = count - gone};
    return gone < count;
}

/* Fills `parts` with what is not sent. Returns their number. */
static size_t unsent(struct exchange *exchange, struct iovec parts[3]) {
    const struct answer *answer = exchange->answer;
    size_t lines = answer->header - strlen(CS_TAIL_CLOSE), tail = strlen(exchange->tail), skipped = exchange->sent;
    size_t count = add_part(parts, answer->bytes, lines, &skipped);
    count += add_part(parts + count, exchange->tail, tail, &skipped);
    return count + add_part(parts + count, answer->bytes + answer->header, exchange->size - lines - tail, &skipped);
}

/* Writes what is in memory. Returns false when the connection is broken. */
static bool write_answer(struct conn *conn) {
    struct exchange *exchange = conn->exchange;
    struct iovec parts[3];
    size_t count = unsent(exchange, parts);
    ssize_t sent = count ? conn->carrier->write(conn, parts, count) : 0;
    if (sent < 0)
        return false;
    exchange->sent += (size_t)sent;
    CS_COUNT(conn->loop, bytes_out, sent);
    return true;
}

static void finish(struct conn *conn) {
    if (conn->bridge && cs_tls_bridge_is_full(conn->bridge))
        conn->carrier->watch(conn, CS_WATCH_ROOM);
    else if (conn->exchange->stays)
        await_next(conn);
    else
        start_linger(conn);
}

void cs_http_write(struct conn *conn) {
    if (!write_answer(conn)) {
        cs_conn_kill(conn);
        return;
    }
    enum cs_download_status status = CS_NEEDS_ROOM;
    if (conn->exchange->sent == conn->exchange->size)
        status = cs_download_write(conn);
    switch (status) {
    case CS_DOWNLOADED:
        finish(conn);
        break;
    case CS_READS_FILE:
        conn->carrier->watch(conn, CS_WATCH_NOTHING);
        break;
    case CS_NEEDS_ROOM:
        conn->carrier->watch(conn, CS_WATCH_ROOM);
        break;
    case CS_DOWNLOAD_BROKE: /* the peer knows the length, and that it lacks the rest */
        cs_conn_kill(conn);
        break;
    }
}

/* A connection stays while there are enough places for new ones. */
static bool has_room(const struct conn *conn) {
    chatsock_server *server = conn->loop->server;
    uint64_t most = atomic_load(&server->connection_limit);
    return !conn->loop->stop_at && !conn->spare && !conn->unnamed &&
           atomic_load(&server->total_connections) <= most - most / 4;
}

void cs_http_respond(struct conn *conn, struct answer *answer, enum cs_answerer by) {
    struct exchange *exchange = conn->exchange;
    exchange->stays = exchange->may_stay && by == CS_APPLICATION && !exchange->unread && has_room(conn);
    exchange->answer = answer;
    CS_CHARGE(conn->loop, answer_bytes, answer->size);
    cs_budget_raise_largest(conn, cs_exchange_count_held(conn));
    /* Less than there are: otherwise a request could meet the end of its connection. */
    unsigned seconds = conn->loop->server->config.header_ms / 1250;
    snprintf(exchange->tail, sizeof exchange->tail, "connection: keep-alive\r\nkeep-alive: timeout=%u\r\n\r\n",
             seconds);
    if (!exchange->stays)
        memcpy(exchange->tail, CS_TAIL_CLOSE, sizeof CS_TAIL_CLOSE);
    bool has_body = !exchange->method || strcmp(exchange->method, "HEAD") != 0;
    exchange->size = answer->header - strlen(CS_TAIL_CLOSE) + strlen(exchange->tail) +
                     (has_body ? answer->size - answer->header : 0);
    cs_conn_set_state(conn, CS_RESPONDING);
    cs_wheel_add(conn, conn->since + conn->loop->server->config.stall_ms / 4);
    if (!has_body || !answer->file_count)
        cs_answer_close_file(conn->loop, answer);
    if (answer->file < 0 || cs_download_open(conn, cs_http_write))
        cs_http_write(conn);
    else
        cs_conn_kill(conn);
}

void cs_http_respond_status(struct conn *conn, unsigned status, const char *header, const char *text) {
    struct answer *answer = cs_answer_new_status(conn->loop->server, status, header, text);
    if (answer)
        cs_http_respond(conn, answer, CS_SERVER);
    else
        cs_conn_kill(conn);
}

bool cs_http_send_continue(struct conn *conn) {
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct iovec part = {.iov_base = (void *)(uintptr_t)go_on, .iov_len = sizeof go_on - 1};
    /* A few bytes fit into a socket whose last answer was taken. Otherwise the client sends the body by itself. */
    return conn->carrier->write(conn, &part, 1) >= 0;
}

void cs_http_refuse(struct conn *conn, unsigned status, const char *header, const char *text) {
    struct answer *answer = cs_answer_new_status(conn->loop->server, status, header, text);
    /* A few hundred bytes fit into an empty socket. If they do not, the peer does not get them. */
    if (answer && conn->bridge && !cs_tls_bridge_is_open(conn->bridge))
        cs_tls_bridge_write(conn->bridge, answer->bytes, answer->size);
    else if (answer && send(conn->fd, answer->bytes, answer->size, MSG_NOSIGNAL) == (ssize_t)answer->size)
        CS_COUNT(conn->loop, bytes_out, answer->size);
    cs_answer_free(answer);
}
