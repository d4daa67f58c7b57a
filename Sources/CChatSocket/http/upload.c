/*
 * The body of a PUT on its way into a file. Reading and writing take turns: what has come is written, and meanwhile the
 * rest waits in the socket, so that a peer sends no faster than the disk writes. There is a buffer only while there are
 * bytes for it: an upload whose peer is slow costs next to nothing.
 */
#include "http/http.h"

/* Reads what has come, as far as there is room. Returns false when nothing more will come. */
static bool fill(struct conn *conn, struct transfer *transfer) {
    transfer->start = 0;
    while (transfer->left && transfer->count < CS_PIECE_BYTES) {
        size_t room = CS_PIECE_BYTES - transfer->count;
        room = transfer->left < room ? (size_t)transfer->left : room;
        ssize_t count = conn->carrier->read(conn, transfer->buffer + transfer->count, room);
        if (count <= 0)
            return !count;
        transfer->count += (size_t)count;
        transfer->left -= (size_t)count;
        transfer->fresh += (size_t)count;
        if (transfer->fresh >= CS_PROGRESS_BYTES) { /* a byte now and then would keep the connection for ever */
            transfer->fresh = 0;
            conn->progressed = cs_loop_now(conn->loop);
        }
    }
    return true;
}

void cs_upload_cancel(struct conn *conn) {
    conn->exchange->unread = conn->exchange->transfer->left;
    cs_exchange_drop_transfer(conn);
}

/* The application has the request again, and gets the result. */
static void finish(struct conn *conn) {
    cs_conn_set_state(conn, CS_REQUEST);
    conn->carrier->watch(conn, CS_WATCH_NOTHING);
    cs_wheel_add(conn, conn->since + conn->loop->server->config.request_ms);
    cs_upload_cancel(conn);
}

void cs_upload_read(struct conn *conn) {
    struct transfer *transfer = conn->exchange->transfer;
    if (transfer->busy)
        return;
    if (!transfer->left || transfer->failed) {
        finish(conn);
        return;
    }
    if (!cs_transfer_make_buffer(transfer)) {
        cs_conn_kill(conn);
        return;
    }
    bool goes_on = fill(conn, transfer);
    if (transfer->count) { /* also the last bytes of a peer that broke off: it may go on after them later */
        cs_budget_raise_largest(conn, cs_exchange_count_held(conn));
        conn->carrier->watch(conn, CS_WATCH_NOTHING);
        if (!cs_transfer_write(transfer))
            finish(conn);
    } else if (goes_on) {
        cs_transfer_drop_buffer(transfer);
        conn->carrier->watch(conn, CS_WATCH_BODY);
    } else {
        cs_conn_kill(conn);
    }
}

static void on_written(struct conn *conn) {
    const struct transfer *transfer = conn->exchange->transfer;
    conn->progressed += cs_loop_now(conn->loop) - transfer->since; /* the peer is not to blame for the disk */
    cs_upload_read(conn);
}

void cs_upload_start(struct conn *conn, int file, uint64_t offset) {
    struct exchange *exchange = conn->exchange;
    bool may_start = conn->state == CS_REQUEST && exchange->receivable;
    if (may_start)
        exchange->transfer =
            cs_transfer_new(conn, CS_UPLOAD, &(struct cs_file_part){file, offset, exchange->unread}, on_written);
    if (!may_start || !exchange->transfer) {
        cs_upload_report(conn->loop, conn->id, 0, false);
        return;
    }
    exchange->receivable = false;
    cs_conn_set_state(conn, CS_RECEIVING);
    cs_wheel_add(conn, conn->since + conn->loop->server->config.stall_ms);
    if (exchange->expects && exchange->unread && !cs_http_send_continue(conn))
        cs_conn_kill(conn);
    else
        cs_upload_read(conn);
}
