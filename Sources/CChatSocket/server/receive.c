/* Receiving. libwebsockets delivers pieces of up to its buffer's size; here they become whole, checked messages. */
#include "conn/partial.h"
#include "delivery/delivery.h"
#include "server/server.h"
#include "shared/text.h"

static void deliver(struct conn *conn, const uint8_t *bytes, size_t count, bool binary) {
    chatsock_server *server = conn->loop->server;
    CS_COUNT(conn->loop, frames_in, 1);
    CS_COUNT(conn->loop, bytes_in, count);
    if (conn->echo) {
        chatsock_frame *frame = cs_frame_new(binary ? 0x82 : 0x81, bytes, count);
        if (frame) {
            cs_conn_send_after_pongs(conn, frame);
            chatsock_frame_release(frame);
        }
    } else {
        conn->loop->events_reported = true;
        server->events.received(server->ctx, conn->id, bytes, count);
    }
}

/* Reports a message that is too long, once all of it has come. */
static void deliver_edges(struct conn *conn, const struct partial *partial) {
    chatsock_server *server = conn->loop->server;
    size_t start = partial->count < CS_EDGE_BYTES ? partial->count : CS_EDGE_BYTES;
    chatsock_oversized message = {
        .start = partial->bytes,
        .start_count = start,
        .end = partial->bytes + start,
        .end_count = partial->count - start,
        .size = partial->size,
    };
    CS_COUNT(conn->loop, frames_in, 1);
    CS_COUNT(conn->loop, bytes_in, partial->size);
    conn->loop->events_reported = true;
    server->events.oversized(server->ctx, conn->id, &message);
}

/* Returns the least size of the message: what has come, and what the peer announced, which may be up to 2^63 - 1. */
static size_t announced(const struct conn *conn, size_t count, size_t left) {
    size_t have = (conn->partial ? conn->partial->size : 0) + count;
    return left > SIZE_MAX - have ? SIZE_MAX : have + left;
}

static size_t limit_of(const struct conn *conn) {
    const chatsock_config *config = &conn->loop->server->config;
    return conn->echo ? config->max_echo_bytes : config->max_frame_bytes;
}

/* Returns the reason to close the connection, or NULL when the message breaks no rule. */
static const char *objection(struct conn *conn, size_t size, uint16_t *code) {
    const chatsock_config *config = &conn->loop->server->config;
    size_t limit = limit_of(conn);
    *code = 1009;
    if (size > limit && (conn->echo || size / CS_PASSED_OVER_TIMES > limit))
        return "message too big";
    if (conn->partial && conn->partial->fragments >= config->max_fragments && !conn->echo)
        return "too many fragments";
    *code = 1003;
    return lws_frame_is_binary(conn->wsi) && !conn->echo ? "text frames only" : NULL;
}

/* Delivers a message that came in several pieces. */
static void deliver_partial(struct conn *conn, bool binary) {
    if (conn->partial->passed_over)
        deliver_edges(conn, conn->partial);
    else
        deliver(conn, conn->partial->bytes, conn->partial->count, binary);
    cs_partial_free(conn);
}

int cs_conn_handle_data(struct conn *conn, const uint8_t *bytes, size_t count) {
    conn->received_at = cs_loop_now(conn->loop);
    conn->pinged = false;
    if (conn->state != CS_OPEN)
        return 0;
    uint16_t code;
    size_t left = lws_remaining_packet_payload(conn->wsi);
    bool last = lws_is_final_fragment(conn->wsi);
    if (conn->partial && !left)
        conn->partial->fragments++; /* a fragment ends */
    size_t size = announced(conn, count, left);
    const char *reason = objection(conn, size, &code);
    if (reason) {
        cs_conn_close(conn, code, reason);
        return 0;
    }
    bool binary = lws_frame_is_binary(conn->wsi);
    bool too_long = size > limit_of(conn);
    bool whole = last && !conn->partial && !too_long;
    if (!whole && !cs_partial_add(conn, bytes, count, too_long)) {
        cs_conn_close(conn, 1013, "too many unfinished messages, try again later");
        return 0;
    }
    bool is_right = binary || (whole ? chatsock_is_utf8(bytes, count)
                                     : conn->partial->passed_over || cs_partial_is_text(conn->partial, last));
    if (!is_right)
        cs_conn_close(conn, 1007, "not UTF-8");
    else if (whole)
        deliver(conn, bytes, count, binary);
    else if (last)
        deliver_partial(conn, binary);
    return 0;
}

/* ---- the peer closes ---- */

static bool is_close_code(uint16_t code) {
    return (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006) ||
           (code >= 3000 && code <= 4999);
}

static int answer_close(struct conn *conn, uint16_t code, const char *reason) {
    lws_close_reason(conn->wsi, (enum lws_close_status)code, (unsigned char *)(uintptr_t)reason, strlen(reason));
    return -1;
}

int cs_conn_handle_close(struct conn *conn, const uint8_t *bytes, size_t count) {
    if (conn->state == CS_CLOSING)
        return -1; /* the answer to our close frame, or both sides closed at once */
    uint16_t code = count < 2 ? 1005 : (uint16_t)(bytes[0] << 8 | bytes[1]);
    conn->state = CS_GONE; /* libwebsockets answers next: nothing of ours may precede that */
    if (!conn->code)
        conn->code = code;
    if (count == 1 || (count >= 2 && !is_close_code(code)))
        return answer_close(conn, 1002, "bad close");
    if (count > 2 && !chatsock_is_utf8(bytes + 2, count - 2))
        return answer_close(conn, 1007, "bad reason");
    return 0;
}
