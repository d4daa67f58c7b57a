/* A connection's way to libwebsockets, and its end. */
#include "conn/exchange.h"
#include "conn/partial.h"
#include "delivery/delivery.h"
#include "delivery/topic.h"
#include "shared/text.h"
#include "tls/tls.h"

void cs_conn_attach_wsi(struct conn *conn) {
    struct loop *loop = conn->loop;
    uint64_t id = conn->id;
    lws_adopt_desc_t adoption = {
        .vh = loop->vhost,
        .type = LWS_ADOPT_HTTP | LWS_ADOPT_SOCKET,
        .fd.sockfd = conn->fd,
        .opaque = conn,
    };
    conn->abort = NULL; /* before the call, which may already call back and end the connection */
    /* On failure it has closed the descriptor. The only reason is that memory ran out. It may or may not call back with
       `conn`, so the struct stays until the loop ends. */
    if (!lws_adopt_descriptor_vhost_via_info(&adoption) && cs_conn_find(loop, id))
        conn->state = CS_GONE;
}

static chatsock_closing kind_of(uint16_t code) {
    if (code == 1000 || code == 1001 || code == 1005)
        return CHATSOCK_CLOSED_NORMAL;
    if (code == 1006)
        return CHATSOCK_CLOSED_BROKEN;
    if (code >= 1002 && code <= 1010)
        return CHATSOCK_CLOSED_PROTOCOL;
    if (code == 4002)
        return CHATSOCK_CLOSED_SLOW;
    return code == 4000 ? CHATSOCK_CLOSED_SILENT : CHATSOCK_CLOSED_OTHER;
}

/* Stops all sending and receiving, except what is queued. */
static void stop_traffic(struct conn *conn) {
    cs_topic_detach_all(conn);
    cs_partial_free(conn);
}

void cs_conn_close(struct conn *conn, uint16_t code, const char *reason) {
    uint8_t payload[2 + CS_REASON_BYTES] = {(uint8_t)(code >> 8), (uint8_t)code};
    size_t count = strnlen(reason, CS_REASON_BYTES);
    if (conn->state != CS_OPEN)
        return;
    memcpy(payload + 2, reason, count);
    chatsock_frame *frame = cs_frame_new(0x88, payload, 2 + count);
    stop_traffic(conn); /* before the frame is queued: nothing may follow a close frame */
    conn->code = code;
    cs_conn_set_state(conn, CS_CLOSING);
    if (!frame) {
        cs_conn_kill(conn);
        return;
    }
    cs_conn_enqueue(conn, frame);
    chatsock_frame_release(frame);
    cs_wheel_add(conn, conn->since + conn->loop->server->config.close_ms);
}

void cs_conn_tear_down(struct conn *conn, uint16_t code) {
    struct loop *loop = conn->loop;
    conn->state = CS_GONE;
    if (conn->waiting)
        CS_COUNT(loop, stalled, -1);
    conn->waiting = false;
    stop_traffic(conn);
    cs_queue_clear(conn);
    cs_conn_clear_cut(conn);
    cs_exchange_free(conn);
    if (!conn->opened_reported)
        return;
    conn->opened_reported = false;
    if (!conn->code)
        conn->code = code;
    CS_COUNT(loop, closed[kind_of(conn->code)], 1);
    if (conn->echo)
        return;
    loop->events_reported = true;
    loop->server->events.closed(loop->server->ctx, conn->id, conn->code);
}

void cs_conn_free(struct conn *conn) {
    struct loop *loop = conn->loop;
    cs_conn_tear_down(conn, 1006);
    cs_wheel_remove(conn);
    cs_conn_cancel_flush(conn);
    cs_slot_release(conn); /* after the reports above, which name the connection by its number */
    CS_COUNT(loop, open, -1);
    if (conn->bridge)
        cs_tls_bridge_detach(conn);
    else
        cs_place_release(loop, &conn->address, conn->spare ? CS_SPARE : CS_ORDINARY);
    free(conn);
}
