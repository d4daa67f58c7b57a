/* A client's connections: found by their numbers, written to, closed and ended. */
#include "client/client.h"

/* A close frame, for lws_write(). The public header reserves the number but does not name it, because
   lws_close_reason() is meant to be used. On libuv that often sends nothing. */
enum { WRITE_CLOSE = 4 };

/* ---- by number ---- */

static struct client_conn **chain_of(chatsock_client *client, uint64_t id) {
    return &client->chains[id & (client->size - 1)]; /* numbers are consecutive, so they spread evenly */
}

struct client_conn *cs_client_conn_find(chatsock_client *client, uint64_t id) {
    struct client_conn *conn = client->size ? *chain_of(client, id) : NULL;
    while (conn && conn->id != id)
        conn = conn->chain;
    return conn;
}

static bool grow(chatsock_client *client) {
    size_t old_size = client->size;
    struct client_conn **old = client->chains, **chains = calloc(old_size ? old_size * 2 : 64, sizeof *chains);
    if (!chains)
        return false;
    client->chains = chains;
    client->size = old_size ? old_size * 2 : 64;
    for (size_t i = 0; i < old_size; i++)
        for (struct client_conn *conn = old[i], *next; conn; conn = next) {
            next = conn->chain;
            conn->chain = *chain_of(client, conn->id);
            *chain_of(client, conn->id) = conn;
        }
    free(old);
    return true;
}

struct client_conn *cs_client_conn_add(chatsock_client *client, uint64_t id, bool tls) {
    struct client_conn *conn;
    if ((client->count == client->size && !grow(client)) || !(conn = calloc(1, sizeof *conn)))
        return NULL;
    *conn = (struct client_conn){
        .id = id, .tls = tls, .since = cs_clock_now(&client->clock, &client->uv), .chain = *chain_of(client, id)};
    conn->queue_end = &conn->queue;
    *chain_of(client, id) = conn;
    client->count++;
    return conn;
}

/* ---- the end ---- */

static void remove_conn(chatsock_client *client, struct client_conn *conn) {
    struct client_conn **at = chain_of(client, conn->id);
    while (*at != conn)
        at = &(*at)->chain;
    *at = conn->chain;
    client->count--;
    while (conn->queue) {
        struct outgoing *next = conn->queue->next;
        free(conn->queue);
        conn->queue = next;
    }
    free(conn->partial);
    free(conn);
}

/* Reports how the connection ended, once, and forgets it. Its socket may live on for a moment without a conn. */
void cs_client_conn_end(chatsock_client *client, struct client_conn *conn, const char *why, unsigned status) {
    /* Removed before the report: the application may connect again from within it, and the table may grow. */
    uint64_t id = conn->id;
    if (conn->state == CLIENT_CONN_CONNECTING) {
        remove_conn(client, conn);
        client->events.failed(client->ctx, id, why, status);
    } else {
        uint16_t code = conn->code ? conn->code : 1006;
        char reason[sizeof conn->reason];
        memcpy(reason, conn->reason, sizeof reason);
        remove_conn(client, conn);
        client->events.closed(client->ctx, id, code, reason);
    }
}

void cs_client_conn_kill(chatsock_client *client, struct client_conn *conn, const char *why) {
    if (conn->wsi) {
        /* libwebsockets may be calling back for this socket, so it may not be closed at once. The service call makes it
           look at its timers in this turn of the loop. */
        lws_set_timeout(conn->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
        lws_cancel_service(client->lws);
    }
    cs_client_conn_end(client, conn, why, 0);
}

void cs_client_conns_end(chatsock_client *client) {
    for (size_t i = 0; i < client->size; i++)
        while (client->chains[i])
            cs_client_conn_end(client, client->chains[i], "the client was stopped", 0);
}

/* ---- sending ---- */

struct outgoing *cs_outgoing_new(enum lws_write_protocol kind, const void *bytes, size_t count) {
    struct outgoing *message = malloc(sizeof *message + count);
    if (!message)
        return NULL;
    message->next = NULL;
    message->count = count;
    message->kind = kind;
    if (count)
        memcpy(message->bytes, bytes, count);
    return message;
}

/* Writes at once, as the server does, while libwebsockets holds nothing back. */
void cs_client_conn_flush(chatsock_client *client, struct client_conn *conn) {
    while (conn->queue && conn->state != CLIENT_CONN_CONNECTING) {
        struct outgoing *message = conn->queue;
        if (lws_partial_buffered(conn->wsi)) {
            lws_callback_on_writable(conn->wsi);
            return;
        }
        int written = lws_write(conn->wsi, message->bytes, message->count, message->kind);
        conn->queue = message->next;
        if (!conn->queue)
            conn->queue_end = &conn->queue;
        conn->queued -= message->count;
        free(message);
        if (written < 0) {
            cs_client_conn_kill(client, conn, "the connection broke");
            return;
        }
    }
}

static void enqueue(struct client_conn *conn, struct outgoing *message) {
    *conn->queue_end = message;
    conn->queue_end = &message->next;
    conn->queued += message->count;
}

void cs_client_conn_send(chatsock_client *client, struct client_conn *conn, struct outgoing *message) {
    if (conn->state == CLIENT_CONN_CLOSING) {
        free(message);
    } else if (conn->queued + message->count > client->config.max_queued_bytes) {
        free(message);
        cs_client_conn_close(client, conn, 4002, "too much unsent");
    } else {
        enqueue(conn, message);
        cs_client_conn_flush(client, conn);
    }
}

void cs_client_conn_close(chatsock_client *client, struct client_conn *conn, uint16_t code, const char *reason) {
    uint8_t payload[2 + CS_REASON_BYTES] = {(uint8_t)(code >> 8), (uint8_t)code};
    size_t count = strnlen(reason, CS_REASON_BYTES);
    if (conn->state == CLIENT_CONN_CLOSING)
        return;
    if (conn->state == CLIENT_CONN_CONNECTING) {
        cs_client_conn_kill(client, conn, "closed before it opened");
        return;
    }
    memcpy(payload + 2, reason, count);
    conn->state = CLIENT_CONN_CLOSING;
    conn->since = cs_clock_now(&client->clock, &client->uv);
    conn->code = code;
    memcpy(conn->reason, reason, count);
    conn->reason[count] = 0;
    struct outgoing *message = cs_outgoing_new((enum lws_write_protocol)WRITE_CLOSE, payload, 2 + count);
    if (message) {
        enqueue(conn, message);
        cs_client_conn_flush(client, conn);
    } else {
        cs_client_conn_kill(client, conn, "out of memory");
    }
}
