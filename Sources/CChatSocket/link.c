/* Connections of a client. */
#include "client.h"

#include <stdio.h>

/* A close frame, for lws_write(). The public header reserves the number and leaves out the name, because one is to
   call lws_close_reason(); but on libuv that often sends nothing. */
enum { WRITE_CLOSE = 4 };

/* ---- by number ---- */

static struct link **chain_of(chatsock_client *client, uint64_t id) {
    return &client->chains[id & (client->size - 1)]; /* numbers are given in turn: they spread by themselves */
}

struct link *cs_link_find(chatsock_client *client, uint64_t id) {
    struct link *link = client->size ? *chain_of(client, id) : NULL;
    while (link && link->id != id)
        link = link->chain;
    return link;
}

static bool grow(chatsock_client *client) {
    size_t old_size = client->size;
    struct link **old = client->chains, **chains = calloc(old_size ? old_size * 2 : 64, sizeof *chains);
    if (!chains)
        return false;
    client->chains = chains;
    client->size = old_size ? old_size * 2 : 64;
    for (size_t i = 0; i < old_size; i++)
        for (struct link *link = old[i], *next; link; link = next) {
            next = link->chain;
            link->chain = *chain_of(client, link->id);
            *chain_of(client, link->id) = link;
        }
    free(old);
    return true;
}

static struct link *link_new(chatsock_client *client, uint64_t id, bool tls) {
    struct link *link;
    if ((client->count == client->size && !grow(client)) || !(link = calloc(1, sizeof *link)))
        return NULL;
    *link = (struct link){.id = id, .tls = tls, .since = cs_clock_now(&client->clock, &client->uv), .chain = *chain_of(client, id)};
    link->queue_end = &link->queue;
    *chain_of(client, id) = link;
    client->count++;
    return link;
}

/* ---- the end ---- */

static void forget(chatsock_client *client, struct link *link) {
    struct link **at = chain_of(client, link->id);
    while (*at != link)
        at = &(*at)->chain;
    *at = link->chain;
    client->count--;
    while (link->queue) {
        struct outgoing *next = link->queue->next;
        free(link->queue);
        link->queue = next;
    }
    free(link->partial);
    free(link);
}

/* Says how it ended, once, and forgets it; its socket may live on for a moment without a link. */
static void end(chatsock_client *client, struct link *link, const char *why, unsigned status) {
    uint64_t id = link->id;
    if (link->state == LINK_CONNECTING) {
        forget(client, link);
        client->events.failed(client->ctx, id, why, status);
    } else {
        uint16_t code = link->code ? link->code : 1006;
        char reason[sizeof link->reason];
        memcpy(reason, link->reason, sizeof reason);
        forget(client, link);
        client->events.closed(client->ctx, id, code, reason);
    }
}

static void cut(chatsock_client *client, struct link *link, const char *why) {
    if (link->wsi) {
        lws_set_timeout(link->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
        lws_cancel_service(client->lws);
    }
    end(client, link, why, 0);
}

void cs_link_drop_all(chatsock_client *client) {
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

/* Like the server, it writes at once when libwebsockets holds nothing back. */
static void pump(chatsock_client *client, struct link *link) {
    while (link->queue && link->state != LINK_CONNECTING) {
        struct outgoing *message = link->queue;
        if (lws_partial_buffered(link->wsi)) {
            lws_callback_on_writable(link->wsi);
            return;
        }
        int written = lws_write(link->wsi, message->bytes, message->count, message->kind);
        link->queue = message->next;
        if (!link->queue)
            link->queue_end = &link->queue;
        link->queued -= message->count;
        free(message);
        if (written < 0) {
            cut(client, link, "the connection broke");
            return;
        }
    }
}

static void enqueue(struct link *link, struct outgoing *message) {
    *link->queue_end = message;
    link->queue_end = &message->next;
    link->queued += message->count;
}

void cs_link_send(chatsock_client *client, struct link *link, struct outgoing *message) {
    if (link->state == LINK_CLOSING) {
        free(message);
    } else if (link->queued + message->count > client->config.max_queued_bytes) {
        free(message);
        cs_link_close(client, link, 4002, "too much unsent");
    } else {
        enqueue(link, message);
        pump(client, link);
    }
}

void cs_link_close(chatsock_client *client, struct link *link, uint16_t code, const char *reason) {
    uint8_t payload[2 + CS_REASON_BYTES] = {(uint8_t)(code >> 8), (uint8_t)code};
    size_t count = strnlen(reason, CS_REASON_BYTES);
    if (link->state == LINK_CLOSING)
        return;
    if (link->state == LINK_CONNECTING) {
        cut(client, link, "closed before it opened");
        return;
    }
    memcpy(payload + 2, reason, count);
    link->state = LINK_CLOSING;
    link->since = cs_clock_now(&client->clock, &client->uv);
    link->code = code;
    memcpy(link->reason, reason, count);
    link->reason[count] = 0;
    struct outgoing *message = cs_outgoing((enum lws_write_protocol)WRITE_CLOSE, payload, 2 + count);
    if (message) {
        enqueue(link, message);
        pump(client, link);
    } else {
        cut(client, link, "out of memory");
    }
}

/* ---- time ---- */

static void look_at(chatsock_client *client, struct link *link, uint64_t now) {
    const chatsock_client_config *config = &client->config;
    uint64_t silence = now - link->heard;
    switch (link->state) {
    case LINK_CONNECTING:
        if (now - link->since >= config->connect_ms)
            cut(client, link, "timed out");
        return;
    case LINK_CLOSING:
        if (now - link->since >= config->close_ms)
            cut(client, link, "");
        return;
    case LINK_OPEN:
        break;
    }
    if (silence >= (uint64_t)config->heartbeat_ms + config->heartbeat_grace_ms) {
        link->code = 1006;
        snprintf(link->reason, sizeof link->reason, "the server is silent");
        cut(client, link, "");
    } else if (silence >= config->heartbeat_ms && !link->pinged) {
        struct outgoing *ping = cs_outgoing(LWS_WRITE_PING, "h", 1);
        link->pinged = true;
        if (ping)
            cs_link_send(client, link, ping);
    }
}

void cs_link_sweep(chatsock_client *client) {
    uint64_t now = cs_clock_now(&client->clock, &client->uv);
    for (size_t i = 0; i < client->size; i++)
        for (struct link *link = client->chains[i], *next; link; link = next) {
            next = link->chain;
            look_at(client, link, now);
        }
}

/* ---- receiving ---- */

/* False: out of memory. */
static bool collect(struct link *link, const uint8_t *bytes, size_t count) {
    if (link->have + count > link->room) {
        size_t room = (link->have + count) * 2;
        uint8_t *moved = realloc(link->partial, room);
        if (!moved)
            return false;
        link->partial = moved;
        link->room = room;
    }
    memcpy(link->partial + link->have, bytes, count);
    link->have += count;
    return true;
}

static void receive(chatsock_client *client, struct link *link, const uint8_t *bytes, size_t count) {
    size_t left = lws_remaining_packet_payload(link->wsi), limit = client->config.max_message_bytes;
    bool last = lws_is_final_fragment(link->wsi);
    link->heard = cs_clock_now(&client->clock, &client->uv);
    link->pinged = false;
    if (link->state != LINK_OPEN)
        return;
    if (count > limit - link->have || left > limit - link->have - count) {
        cs_link_close(client, link, 1009, "message too big");
        return;
    }
    if (last && !link->have) {
        client->events.received(client->ctx, link->id, bytes, count);
    } else if (!collect(link, bytes, count)) {
        cut(client, link, "out of memory");
    } else if (last) {
        client->events.received(client->ctx, link->id, link->partial, link->have);
        free(link->partial);
        link->partial = NULL;
        link->have = link->room = 0;
    }
}

static int on_close_frame(struct link *link, const uint8_t *bytes, size_t count) {
    if (link->state == LINK_CLOSING)
        return -1; /* the answer to ours */
    link->state = LINK_CLOSING;
    link->code = count < 2 ? 1005 : (uint16_t)(bytes[0] << 8 | bytes[1]);
    size_t length = count < 2 ? 0 : count - 2;
    if (length > CS_REASON_BYTES || !chatsock_is_utf8(bytes + 2, length))
        length = 0;
    if (length)
        memcpy(link->reason, bytes + 2, length);
    link->reason[length] = 0;
    return 0;
}

static void on_opened(chatsock_client *client, struct link *link) {
    char protocol[128];
    bool odd = false;
    link->state = LINK_OPEN;
    link->heard = cs_clock_now(&client->clock, &client->uv);
    const char *agreed = cs_header(link->wsi, WSI_TOKEN_PROTOCOL, protocol, sizeof protocol, &odd);
    client->events.opened(client->ctx, link->id, agreed);
    pump(client, link);
}

static void on_failed(chatsock_client *client, struct link *link, const char *why, size_t count) {
    char text[320];
    if (link->objection)
        cs_link_objection(link, text, sizeof text);
    else
        snprintf(text, sizeof text, "%.*s", why ? (int)(count < 150 ? count : 150) : 14, why ? why : "cannot connect");
    end(client, link, text, lws_http_client_http_response(link->wsi));
}

static int on_link(chatsock_client *client, struct link *link, enum lws_callback_reasons why, void *user, void *in,
                   size_t count) {
    switch (why) {
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        on_opened(client, link);
        return 0;
    case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
        return cs_link_trust(link, user, count);
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        on_failed(client, link, in, count);
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE:
        receive(client, link, in, count);
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE_PONG:
        link->heard = cs_clock_now(&client->clock, &client->uv);
        link->pinged = false;
        return 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        pump(client, link);
        return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        return on_close_frame(link, in, count);
    case LWS_CALLBACK_CLIENT_CLOSED:
    case LWS_CALLBACK_WSI_DESTROY:
        end(client, link, "the connection broke", 0);
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
    struct link *link = cs_link_find(client, id);
    if (!link)
        return why == LWS_CALLBACK_CLIENT_RECEIVE || why == LWS_CALLBACK_CLIENT_WRITEABLE ? -1 : 0;
    link->wsi = wsi;
    return on_link(client, link, why, user, in, count);
}

const struct lws_protocols *cs_client_protocols(void) {
    static const struct lws_protocols protocols[] = {
        {.name = "client", .callback = on_event, .rx_buffer_size = 4096, .tx_packet_size = 1 << 20},
        {0},
    };
    return protocols;
}

void cs_link_connect(chatsock_client *client, uint64_t id, const chatsock_target *target) {
    struct link *link = link_new(client, id, target->tls);
    if (!link) {
        client->events.failed(client->ctx, id, "out of memory", 0);
        return;
    }
    char host[300];
    snprintf(link->host, sizeof link->host, "%s", target->host);
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
    if (!lws_client_connect_via_info(&info) && (link = cs_link_find(client, id)))
        end(client, link, "cannot connect", 0);
}
