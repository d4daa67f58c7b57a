/* A client's connections. */
#include "client.h"

#include <stdio.h>
#include <sys/socket.h>

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

static struct client_conn *link_new(chatsock_client *client, uint64_t id, bool tls) {
    struct client_conn *conn;
    if ((client->count == client->size && !grow(client)) || !(conn = calloc(1, sizeof *conn)))
        return NULL;
    *conn = (struct client_conn){.id = id, .tls = tls, .since = cs_clock_now(&client->clock, &client->uv), .chain = *chain_of(client, id)};
    conn->queue_end = &conn->queue;
    *chain_of(client, id) = conn;
    client->count++;
    return conn;
}

/* ---- the end ---- */

static void forget(chatsock_client *client, struct client_conn *conn) {
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
static void end(chatsock_client *client, struct client_conn *conn, const char *why, unsigned status) {
    uint64_t id = conn->id;
    if (conn->state == CLIENT_CONN_CONNECTING) {
        forget(client, conn);
        client->events.failed(client->ctx, id, why, status);
    } else {
        uint16_t code = conn->code ? conn->code : 1006;
        char reason[sizeof conn->reason];
        memcpy(reason, conn->reason, sizeof reason);
        forget(client, conn);
        client->events.closed(client->ctx, id, code, reason);
    }
}

static void cut(chatsock_client *client, struct client_conn *conn, const char *why) {
    if (conn->wsi) {
        lws_set_timeout(conn->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
        lws_cancel_service(client->lws);
    }
    end(client, conn, why, 0);
}

void cs_client_conn_drop_all(chatsock_client *client) {
    for (size_t i = 0; i < client->size; i++)
        while (client->chains[i])
            end(client, client->chains[i], "the client was stopped", 0);
}

/* ---- sending ---- */

struct outgoing *cs_outgoing(enum lws_write_protocol kind, const void *bytes, size_t count) {
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
static void pump(chatsock_client *client, struct client_conn *conn) {
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
            cut(client, conn, "the connection broke");
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
        pump(client, conn);
    }
}

void cs_client_conn_close(chatsock_client *client, struct client_conn *conn, uint16_t code, const char *reason) {
    uint8_t payload[2 + CS_REASON_BYTES] = {(uint8_t)(code >> 8), (uint8_t)code};
    size_t count = strnlen(reason, CS_REASON_BYTES);
    if (conn->state == CLIENT_CONN_CLOSING)
        return;
    if (conn->state == CLIENT_CONN_CONNECTING) {
        cut(client, conn, "closed before it opened");
        return;
    }
    memcpy(payload + 2, reason, count);
    conn->state = CLIENT_CONN_CLOSING;
    conn->since = cs_clock_now(&client->clock, &client->uv);
    conn->code = code;
    memcpy(conn->reason, reason, count);
    conn->reason[count] = 0;
    struct outgoing *message = cs_outgoing((enum lws_write_protocol)WRITE_CLOSE, payload, 2 + count);
    if (message) {
        enqueue(conn, message);
        pump(client, conn);
    } else {
        cut(client, conn, "out of memory");
    }
}

/* ---- time ---- */

/* Returns who did not answer a connection in time: the machine, or what listens there. */
static const char *silent_end(const struct client_conn *conn) {
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    if (conn->wsi && getpeername(lws_get_socket_fd(conn->wsi), (struct sockaddr *)&peer, &size) == 0)
        return "what listens there does not answer: is it a chat server?";
    return "the machine does not answer: is the address right?";
}

static void look_at(chatsock_client *client, struct client_conn *conn, uint64_t now) {
    const chatsock_client_config *config = &client->config;
    uint64_t silence = now - conn->heard;
    switch (conn->state) {
    case CLIENT_CONN_CONNECTING:
        if (now - conn->since >= config->connect_ms)
            cut(client, conn, silent_end(conn));
        return;
    case CLIENT_CONN_CLOSING:
        if (now - conn->since >= config->close_ms)
            cut(client, conn, "");
        return;
    case CLIENT_CONN_OPEN:
        break;
    }
    if (silence >= (uint64_t)config->heartbeat_ms + config->heartbeat_grace_ms) {
        conn->code = 1006;
        snprintf(conn->reason, sizeof conn->reason, "the server is silent");
        cut(client, conn, "");
    } else if (silence >= config->heartbeat_ms && !conn->pinged) {
        struct outgoing *ping = cs_outgoing(LWS_WRITE_PING, "h", 1);
        conn->pinged = true;
        if (ping)
            cs_client_conn_send(client, conn, ping);
    }
}

void cs_client_conn_sweep(chatsock_client *client) {
    uint64_t now = cs_clock_now(&client->clock, &client->uv);
    for (size_t i = 0; i < client->size; i++)
        for (struct client_conn *conn = client->chains[i], *next; conn; conn = next) {
            next = conn->chain;
            look_at(client, conn, now);
        }
}

/* ---- receiving ---- */

/* Returns false when out of memory. */
static bool collect(struct client_conn *conn, const uint8_t *bytes, size_t count) {
    if (conn->have + count > conn->room) {
        size_t room = (conn->have + count) * 2;
        uint8_t *moved = realloc(conn->partial, room);
        if (!moved)
            return false;
        conn->partial = moved;
        conn->room = room;
    }
    memcpy(conn->partial + conn->have, bytes, count);
    conn->have += count;
    return true;
}

static void receive(chatsock_client *client, struct client_conn *conn, const uint8_t *bytes, size_t count) {
    size_t left = lws_remaining_packet_payload(conn->wsi), limit = client->config.max_message_bytes;
    bool last = lws_is_final_fragment(conn->wsi);
    conn->heard = cs_clock_now(&client->clock, &client->uv);
    conn->pinged = false;
    if (conn->state != CLIENT_CONN_OPEN)
        return;
    if (count > limit - conn->have || left > limit - conn->have - count) {
        cs_client_conn_close(client, conn, 1009, "message too big");
        return;
    }
    if (last && !conn->have) {
        client->events.received(client->ctx, conn->id, bytes, count);
    } else if (!collect(conn, bytes, count)) {
        cut(client, conn, "out of memory");
    } else if (last) {
        client->events.received(client->ctx, conn->id, conn->partial, conn->have);
        free(conn->partial);
        conn->partial = NULL;
        conn->have = conn->room = 0;
    }
}

static int on_close_frame(struct client_conn *conn, const uint8_t *bytes, size_t count) {
    if (conn->state == CLIENT_CONN_CLOSING)
        return -1; /* the answer to ours */
    conn->state = CLIENT_CONN_CLOSING;
    conn->code = count < 2 ? 1005 : (uint16_t)(bytes[0] << 8 | bytes[1]);
    size_t length = count < 2 ? 0 : count - 2;
    if (length > CS_REASON_BYTES || !chatsock_is_utf8(bytes + 2, length))
        length = 0;
    if (length)
        memcpy(conn->reason, bytes + 2, length);
    conn->reason[length] = 0;
    return 0;
}

static void on_opened(chatsock_client *client, struct client_conn *conn) {
    char protocol[128];
    bool odd = false;
    conn->state = CLIENT_CONN_OPEN;
    conn->heard = cs_clock_now(&client->clock, &client->uv);
    const char *agreed = cs_header(conn->wsi, WSI_TOKEN_PROTOCOL, protocol, sizeof protocol, &odd);
    client->events.opened(client->ctx, conn->id, agreed);
    pump(client, conn);
}

/* Returns what is wrong when only this side speaks TLS; otherwise NULL. */
static const char *mismatch(const struct client_conn *conn, const char *why, size_t count) {
    bool failed = conn->tls && why && memmem(why, count, "SSL", 3);
    return failed ? "TLS failed: a server without it has an address with ws://" : NULL;
}

static bool begins(const char *why, size_t count, const char *with) {
    return why && count >= strlen(with) && memcmp(why, with, strlen(with)) == 0;
}

/* Returns why the system made no connection, or the server ended it before it answered; NULL if the library knows better. */
static const char *unanswered(const struct client_conn *conn, const char *why, size_t count) {
    int error = 0;
    socklen_t size = sizeof error;
    if (begins(why, count, "read failed"))
        return "the server ends the connection without an answer: is it a chat server? One with TLS has wss://";
    if (!begins(why, count, "closed before established"))
        return NULL;
    if (getsockopt(lws_get_socket_fd(conn->wsi), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error)
        return strerror(error);
    return "no server answered: is it running there?";
}

static void on_failed(chatsock_client *client, struct client_conn *conn, const char *why, size_t count) {
    const char *mistaken = mismatch(conn, why, count);
    if (!mistaken)
        mistaken = unanswered(conn, why, count);
    char text[320];
    if (conn->objection)
        cs_client_conn_objection(conn, text, sizeof text);
    else if (mistaken)
        snprintf(text, sizeof text, "%s", mistaken);
    else
        snprintf(text, sizeof text, "%.*s", why ? (int)(count < 150 ? count : 150) : 14, why ? why : "cannot connect");
    end(client, conn, text, lws_http_client_http_response(conn->wsi));
}

static int on_link(chatsock_client *client, struct client_conn *conn, enum lws_callback_reasons why, void *user, void *in,
                   size_t count) {
    switch (why) {
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        on_opened(client, conn);
        return 0;
    case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
        return cs_client_conn_trust(conn, user, count);
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        on_failed(client, conn, in, count);
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE:
        receive(client, conn, in, count);
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE_PONG:
        conn->heard = cs_clock_now(&client->clock, &client->uv);
        conn->pinged = false;
        return 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        pump(client, conn);
        return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        return on_close_frame(conn, in, count);
    case LWS_CALLBACK_CLIENT_CLOSED:
    case LWS_CALLBACK_WSI_DESTROY:
        end(client, conn, "the connection broke", 0);
        return 0;
    default:
        return 0;
    }
}

static int on_event(struct lws *wsi, enum lws_callback_reasons why, void *user, void *in, size_t count) {
    switch (why) {
    case LWS_CALLBACK_PROTOCOL_INIT: /* these come without a connection */
    case LWS_CALLBACK_PROTOCOL_DESTROY:
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
    case LWS_CALLBACK_GET_THREAD_ID:
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_CLIENT_VERIFY_CERTS:
        return 0;
    default:
        break;
    }
    uint64_t id = wsi ? (uint64_t)(uintptr_t)lws_get_opaque_user_data(wsi) : 0;
    if (!id)
        return 0;
    chatsock_client *client = lws_context_user(lws_get_context(wsi));
    struct client_conn *conn = cs_client_conn_find(client, id);
    if (!conn)
        return why == LWS_CALLBACK_CLIENT_RECEIVE || why == LWS_CALLBACK_CLIENT_WRITEABLE ? -1 : 0;
    conn->wsi = wsi;
    return on_link(client, conn, why, user, in, count);
}

const struct lws_protocols *cs_client_protocols(void) {
    static const struct lws_protocols protocols[] = {
        {.name = "client", .callback = on_event, .rx_buffer_size = 4096, .tx_packet_size = 1 << 20},
        {0},
    };
    return protocols;
}

void cs_client_conn_connect(chatsock_client *client, uint64_t id, const chatsock_target *target) {
    struct client_conn *conn = link_new(client, id, target->tls);
    if (!conn) {
        client->events.failed(client->ctx, id, "out of memory", 0);
        return;
    }
    char host[300];
    snprintf(conn->host, sizeof conn->host, "%s", target->host);
    snprintf(host, sizeof host, strchr(target->host, ':') ? "[%s]:%u" : "%s:%u", target->host, target->port);
    struct lws_client_connect_info info = {
        .context = client->lws,
        .vhost = client->vhost,
        .address = target->host,
        .port = target->port,
        .path = target->path,
        .host = host,
        .protocol = target->subprotocol,
        .local_protocol_name = "client",
        .iface = target->source,
        .ssl_connection = target->tls ? LCCSCF_USE_SSL : 0,
        .opaque_user_data = (void *)(uintptr_t)id,
    };
    if (!lws_client_connect_via_info(&info) && (conn = cs_client_conn_find(client, id)))
        end(client, conn, "there is no such address: is its name right?", 0);
}
