/*
 * Answers to plain HTTP. libwebsockets does not poll while a request waits for its answer (http.c). So the answer is
 * written here, with a poll of our own if the socket does not take it at once.
 */
#include "http.h"

#include <errno.h>
#include <sys/socket.h>

/* Sends what the socket takes now. Returns -1 when the connection is broken. */
static int push(struct conn *conn) {
    struct exchange *exchange = conn->exchange;
    ssize_t sent =
        send(conn->fd, exchange->answer->bytes + exchange->sent, exchange->size - exchange->sent, MSG_NOSIGNAL);
    if (sent < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    exchange->sent += (size_t)sent;
    CS_COUNT(conn->loop, bytes_out, sent);
    return 0;
}

static void end(struct conn *conn) {
    if (conn->exchange->lingers) {
        shutdown(conn->fd, SHUT_WR); /* libwebsockets reads on until the peer closes, or deadlines.c closes */
    } else {
        cs_discard(conn->fd);
        cs_kill(conn);
    }
}

static void on_room(uv_poll_t *poll, int status, int events) {
    struct response_writer *writer = poll->data;
    struct conn *conn = writer->conn;
    (void)events;
    if (status < 0 || push(conn))
        cs_kill(conn);
    else if (conn->exchange->sent == conn->exchange->size)
        end(conn);
}

/* Returns false when there is no memory, or libwebsockets has not let go of the descriptor. */
static bool wait_for_room(struct conn *conn) {
    struct response_writer *writer = calloc(1, sizeof *writer);
    if (!writer || uv_poll_init(&conn->loop->uv, &writer->poll, conn->fd)) {
        free(writer);
        return false;
    }
    writer->poll.data = writer;
    writer->conn = conn;
    conn->exchange->writer = writer;
    return !uv_poll_start(&writer->poll, UV_WRITABLE, on_room);
}

void cs_http_respond(struct conn *conn, struct answer *answer) {
    struct exchange *exchange = conn->exchange;
    exchange->lingers = conn->state == CS_BODY; /* closing with input unread would reset what we send */
    exchange->answer = answer;
    CS_TAKE(conn->loop, answer_bytes, answer->size);
    cs_budget_owes(conn->loop, cs_exchange_held(conn));
    exchange->size = strcmp(exchange->method, "HEAD") ? answer->size : answer->header;
    cs_enter(conn, CS_RESPONDING);
    cs_wheel_put(conn, conn->since + conn->loop->server->config.stall_ms / 4);
    if (push(conn))
        cs_kill(conn);
    else if (exchange->sent == exchange->size)
        end(conn);
    else if (!wait_for_room(conn))
        cs_kill(conn);
}

void cs_http_answer_status(struct conn *conn, unsigned status, const char *text) {
    struct answer *answer = cs_answer_status(conn->loop->server, status, NULL, text);
    if (answer)
        cs_http_respond(conn, answer);
    else
        cs_kill(conn);
}

void cs_http_refuse(struct conn *conn, unsigned status, const char *header, const char *text) {
    struct answer *answer = cs_answer_status(conn->loop->server, status, header, text);
    if (answer && conn->exchange && !strcmp(conn->exchange->method, "HEAD"))
        answer->size = answer->header;
    /* A few hundred bytes fit into an empty socket. If they do not, the peer does not get them. */
    if (answer && conn->bridge && !cs_tls_bridge_is_open(conn->bridge))
        cs_tls_bridge_say(conn->bridge, answer->bytes, answer->size);
    else if (answer && send(conn->fd, answer->bytes, answer->size, MSG_NOSIGNAL) == (ssize_t)answer->size)
        CS_COUNT(conn->loop, bytes_out, answer->size);
    cs_answer_free(answer);
}
