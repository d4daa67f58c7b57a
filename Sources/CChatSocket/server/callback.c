/* The callback that libwebsockets calls. It answers every reason that needs an answer, because the defaults are
   unsafe. */
#include "delivery/delivery.h"
#include "http/http.h"
#include "server/server.h"

static int on_http(struct conn *conn, enum lws_callback_reasons why) {
    switch (why) {
    case LWS_CALLBACK_HTTP: /* only handshakes of WebSockets come to libwebsockets, so this would be a fault of ours */
    case LWS_CALLBACK_HTTP_BODY:
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return -1;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return cs_conn_confirm_upgrade(conn, true);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return cs_conn_confirm_upgrade(conn, false);
    default: /* files, CGI, proxies and the like: not used here */
        return 0;
    }
}

/* The code with which libwebsockets itself closes after a protocol error that it found. */
static uint16_t code_of_library(struct lws *wsi) {
    const unsigned char *payload = lws_get_close_payload(wsi);
    return lws_get_close_length(wsi) < 2 ? 1006 : (uint16_t)(payload[0] << 8 | payload[1]);
}

static int on_socket(struct conn *conn, struct lws *wsi, enum lws_callback_reasons why, void *in, size_t count) {
    switch (why) {
    case LWS_CALLBACK_ESTABLISHED:
        lws_set_wsi_user(conn->wsi, conn); /* without it, libwebsockets does not report that it begins to close */
        cs_conn_open(conn);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return cs_conn_handle_data(conn, in, count);
    case LWS_CALLBACK_RECEIVE_PONG:
        conn->received_at = cs_loop_now(conn->loop);
        conn->pinged = false;
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        cs_conn_handle_writable(conn);
        return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        return cs_conn_handle_close(conn, in, count);
    case LWS_CALLBACK_WS_SERVER_DROP_PROTOCOL: /* it begins to close: its close frame is the last frame */
        cs_conn_tear_down(conn, code_of_library(wsi));
        conn->drops = true;
        /* libwebsockets waits for the peer to answer; the next tick ends our side if the peer cannot. */
        cs_wheel_add(conn, cs_loop_now(conn->loop) + conn->loop->tick_ms);
        return 0;
    case LWS_CALLBACK_CLOSED: /* the object still refers to `conn`, up to WSI_DESTROY */
        cs_conn_tear_down(conn, 1006);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        cs_conn_free(conn);
        return 0;
    default:
        return on_http(conn, why);
    }
}

static int callback(struct lws *wsi, enum lws_callback_reasons why, void *user, void *in, size_t count) {
    (void)user; /* may be NULL or not ours, depending on the reason */
    switch (why) {
    case LWS_CALLBACK_PROTOCOL_INIT: /* these come without a connection */
    case LWS_CALLBACK_PROTOCOL_DESTROY:
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
    case LWS_CALLBACK_WSI_CREATE:
    case LWS_CALLBACK_GET_THREAD_ID:
        return 0;
    default:
        break;
    }
    struct conn *conn = wsi ? lws_get_opaque_user_data(wsi) : NULL;
    if (!conn)
        return 0;
    /* Set each time: libwebsockets makes the object before it reports it, and the first callback may be any of them. */
    conn->wsi = wsi;
    return on_socket(conn, wsi, why, in, count);
}

const struct lws_protocols *cs_server_protocols(void) {
    static const struct lws_protocols protocols[] = {
        {
            .name = CS_PROTOCOL,
            .callback = callback,
            .rx_buffer_size = CS_RX_BUFFER,
            .tx_packet_size = 1 << 20, /* otherwise a turn of the loop writes no more than rx_buffer_size */
        },
        {0},
    };
    return protocols;
}
