/* The events of a client's connections: those that libwebsockets reports, and silence. */
#include "client/client.h"

#include <stdio.h>

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

static void handle_data(chatsock_client *client, struct client_conn *conn, const uint8_t *bytes, size_t count) {
    size_t left = lws_remaining_packet_payload(conn->wsi), limit = client->config.max_message_bytes;
    bool last = lws_is_final_fragment(conn->wsi);
    conn->received_at = cs_clock_now(&client->clock, &client->uv);
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
        cs_client_conn_kill(client, conn, "out of memory");
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

/* ---- callbacks ---- */

static int on_link(chatsock_client *client, struct client_conn *conn, enum lws_callback_reasons why, void *user,
                   void *in, size_t count) {
    switch (why) {
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        cs_client_conn_handle_opened(client, conn);
        return 0;
    case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
        return cs_client_conn_check_certificate(conn, user, count);
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        cs_client_conn_handle_failure(client, conn, in, count);
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE:
        handle_data(client, conn, in, count);
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE_PONG:
        conn->received_at = cs_clock_now(&client->clock, &client->uv);
        conn->pinged = false;
        return 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        cs_client_conn_flush(client, conn);
        return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        return on_close_frame(conn, in, count);
    case LWS_CALLBACK_CLIENT_CLOSED:
    case LWS_CALLBACK_WSI_DESTROY:
        cs_client_conn_end(client, conn, "the connection broke", 0);
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
        /* The connection has been reported as ended; -1 closes what is left of its socket. */
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

/* ---- time ---- */

static void check_deadlines(chatsock_client *client, struct client_conn *conn, uint64_t now) {
    const chatsock_client_config *config = &client->config;
    uint64_t silence = now - conn->received_at;
    switch (conn->state) {
    case CLIENT_CONN_CONNECTING:
        if (now - conn->since >= config->connect_ms)
            cs_client_conn_kill(client, conn, cs_client_conn_explain_timeout(conn));
        return;
    case CLIENT_CONN_CLOSING:
        if (now - conn->since >= config->close_ms)
            cs_client_conn_kill(client, conn, "");
        return;
    case CLIENT_CONN_OPEN:
        break;
    }
    if (silence >= (uint64_t)config->heartbeat_ms + config->heartbeat_grace_ms) {
        conn->code = 1006;
        snprintf(conn->reason, sizeof conn->reason, "the server is silent");
        cs_client_conn_kill(client, conn, "");
    } else if (silence >= config->heartbeat_ms && !conn->pinged) {
        struct outgoing *ping = cs_outgoing_new(LWS_WRITE_PING, "h", 1);
        conn->pinged = true;
        if (ping)
            cs_client_conn_send(client, conn, ping);
    }
}

void cs_client_conns_check_deadlines(chatsock_client *client) {
    uint64_t now = cs_clock_now(&client->clock, &client->uv);
    for (size_t i = 0; i < client->size; i++)
        for (struct client_conn *conn = client->chains[i], *next; conn; conn = next) {
            next = conn->chain;
            check_deadlines(client, conn, now);
        }
}
