/*
 * Writing. All that a connection lacks, private frames first, goes out in one system call, straight from where it lies.
 *
 * We send on libwebsockets' descriptor ourselves, which its documentation does not foresee, because only then do we
 * learn how much the kernel took. A cursor moves by whole frames. Only the rest of a cut frame goes to libwebsockets,
 * which copies it and sends it before any pong or close of its own. Of a long private frame that is the rest of one
 * fragment; the later fragments stay in the shared frame. This is sound while libwebsockets holds nothing back and is
 * not closing, as `waiting` and the state tell. Nothing is written here while another writer is between two frames.
 */
#include "delivery/delivery.h"
#include "delivery/topic.h"
#include "tls/tls.h"

#include <errno.h>
#include <sys/socket.h>

enum { PIECES = 64 };

struct batch { /* runs of bytes to send: first private frames in queue order, then what cursors lack */
    struct iovec parts[PIECES];
    struct cursor *cursors[PIECES]; /* NULL: a private frame */
    uint8_t headers[PIECES][CS_PIECE_HEADER]; /* of fragments, each at the index of its first part */
    size_t count, bytes, private_bytes;
};

/* ---- private frames ---- */

/* Returns the unsent bytes of a fragmented frame that has partly gone, otherwise 0. */
static size_t count_begun(const struct conn *conn) {
    return conn->output.queue && conn->output.queue->gone ? conn->output.queue->frame->size - conn->output.queue->gone
                                                          : 0;
}

void cs_conn_send(struct conn *conn, chatsock_frame *frame) {
    if (conn->state != CS_OPEN)
        return;
    if (conn->output.queued_bytes - count_begun(conn) >= conn->loop->server->config.max_private_bytes)
        cs_conn_close(conn, 4002, "too slow");
    else
        cs_conn_enqueue(conn, frame);
}

/* ---- writing ---- */

static void start_waiting(struct conn *conn) {
    if (conn->waiting)
        return;
    conn->waiting = true;
    conn->progressed = cs_loop_now(conn->loop);
    CS_COUNT(conn->loop, stalled, 1);
    cs_wheel_add(conn, conn->progressed + conn->loop->server->config.stall_ms / 4);
}

void cs_conn_send_after_pongs(struct conn *conn, chatsock_frame *frame) {
    if (cs_conn_can_write(conn)) {
        start_waiting(conn);
        lws_callback_on_writable(conn->wsi);
    }
    cs_conn_send(conn, frame);
}

static void wait_for_socket(struct conn *conn) {
    start_waiting(conn);
    if (conn->bridge)
        cs_tls_bridge_await_room(conn->bridge);
    else
        lws_callback_on_writable(conn->wsi);
}

/* Leaves the rest of a frame whose beginning is on the wire to libwebsockets or the bridge. Both copy it and send it
   before anything else. */
static void keep_rest(struct conn *conn, const uint8_t *rest, size_t count) {
    conn->output.cut_bytes += count;
    CS_CHARGE(conn->loop, cut_bytes, count);
    cs_budget_raise_largest(conn, 0);
    if (conn->bridge)
        cs_tls_bridge_enqueue(conn->bridge, rest, count);
    else if (lws_write(conn->wsi, (unsigned char *)(uintptr_t)rest, count, LWS_WRITE_RAW) < 0)
        cs_conn_kill(conn);
}

static ssize_t send_plain(struct conn *conn, struct iovec *parts, size_t count) {
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
    ssize_t sent = count == 1 ? send(conn->fd, parts->iov_base, parts->iov_len, MSG_NOSIGNAL)
                              : sendmsg(conn->fd, &message, MSG_NOSIGNAL);
    return sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? 0 : sent;
}

/* Sends. Returns the number of bytes taken, or -1 when the connection is broken. */
static ssize_t transmit(struct conn *conn, struct iovec *parts, size_t count) {
    ssize_t sent = conn->bridge ? cs_tls_bridge_send(conn->bridge, parts, count) : send_plain(conn, parts, count);
    if (sent < 0)
        cs_conn_kill(conn);
    if (sent <= 0)
        return sent;
    CS_COUNT(conn->loop, writes, 1);
    CS_COUNT(conn->loop, bytes_out, sent);
    return sent;
}

/* Moves a cursor over `sent` bytes. The rest of a cut frame is kept, and the frame counts as delivered. */
static void advance(struct cursor *cursor, size_t sent) {
    struct log *log = &cursor->topic->log;
    /* A position in the log, not in the batch. It may lie within a frame, of which the beginning is on the wire then. */
    uint64_t at = cs_log_start(log, cursor->frame) + sent;
    uint64_t next = at == log->end ? log->next : cs_log_frame_at(log, at);
    uint64_t start = cs_log_start(log, next);
    CS_COUNT(cursor->conn->loop, deliveries, next - cursor->frame);
    if (start > at)
        keep_rest(cursor->conn, log->bytes + (at - log->base), (size_t)(start - at));
    cursor->frame = next;
}

void cs_cursor_flush(struct cursor *cursor) {
    struct log *log = &cursor->topic->log;
    uint64_t at = cs_log_start(log, cursor->frame);
    struct iovec part = {log->bytes + (at - log->base), (size_t)(log->end - at)};
    ssize_t sent = transmit(cursor->conn, &part, 1);
    if (sent == (ssize_t)part.iov_len) {
        CS_COUNT(cursor->conn->loop, deliveries, log->next - cursor->frame);
        cursor->frame = log->next;
        cs_cursor_set_lagging(cursor, false);
        return;
    }
    if (sent > 0)
        advance(cursor, (size_t)sent);
    if (sent >= 0)
        wait_for_socket(cursor->conn);
    cs_cursor_set_lagging(cursor, cursor->frame < log->next);
}

static void add(struct batch *batch, uint8_t *bytes, size_t count, struct cursor *cursor) {
    batch->parts[batch->count] = (struct iovec){bytes, count};
    batch->cursors[batch->count++] = cursor;
    batch->bytes += count;
}

/* Returns false when there is no room for all of the frame. */
static bool collect_private(const struct queued *entry, struct batch *batch) {
    struct piece piece;
    for (size_t from = entry->gone; from < entry->frame->size; from = piece.next) {
        if (batch->count + 1 + CS_FRAME_PARTS > PIECES)
            return false;
        cs_frame_get_piece(entry->frame, from, batch->headers[batch->count], &piece);
        for (size_t i = 0; i < piece.count; i++)
            add(batch, piece.parts[i].iov_base, piece.parts[i].iov_len, NULL);
    }
    return true;
}

static void collect(struct conn *conn, struct batch *batch) {
    batch->count = batch->bytes = 0;
    struct queued *entry = conn->output.queue;
    while (entry && collect_private(entry, batch))
        entry = entry->next;
    batch->private_bytes = batch->bytes;
    if (entry)
        return;
    uint32_t count = conn->reading.dirty_count < PIECES - batch->count ? conn->reading.dirty_count
                                                                       : (uint32_t)(PIECES - batch->count);
    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(conn->reading.dirty[i]); /* cursors of different lists are far apart in memory */
    for (uint32_t i = 0; i < count; i++) {
        struct cursor *cursor = conn->reading.dirty[i];
        struct log *log = &cursor->topic->log;
        uint64_t at = cs_log_start(log, cursor->frame);
        add(batch, log->bytes + (at - log->base), (size_t)(log->end - at), cursor);
    }
}

/* Keeps the rest of a piece of which `taken` bytes were sent. */
static void keep_rest_of(struct conn *conn, const struct piece *piece, size_t taken) {
    for (size_t i = 0; i < piece->count && conn->state != CS_GONE; i++) {
        const struct iovec *part = &piece->parts[i];
        size_t passed = taken < part->iov_len ? taken : part->iov_len;
        taken -= passed;
        if (passed < part->iov_len)
            keep_rest(conn, (const uint8_t *)part->iov_base + passed, part->iov_len - passed);
    }
}

/* Advances the queue of private frames by `sent` bytes. The rest of a cut piece is kept. */
static void advance_queue(struct conn *conn, size_t sent) {
    uint8_t header[CS_PIECE_HEADER];
    struct piece piece;
    while (sent) {
        cs_frame_get_piece(conn->output.queue->frame, conn->output.queue->gone, header, &piece);
        size_t taken = sent < piece.bytes ? sent : piece.bytes;
        keep_rest_of(conn, &piece, taken);
        sent -= taken;
        cs_queue_advance(conn, piece.next);
    }
}

/* Advances over the bytes that the kernel took of a batch. Returns true when nothing is left to send. */
static bool advance_all(struct conn *conn, const struct batch *batch, size_t sent) {
    uint32_t done = 0;
    size_t of_private = sent < batch->private_bytes ? sent : batch->private_bytes;
    advance_queue(conn, of_private);
    sent -= of_private;
    for (size_t i = 0; i < batch->count && sent; i++) {
        struct cursor *cursor = batch->cursors[i];
        if (!cursor)
            continue;
        size_t taken = sent < batch->parts[i].iov_len ? sent : batch->parts[i].iov_len;
        sent -= taken;
        advance(cursor, taken);
        if (cursor->frame == cursor->topic->log.next) {
            done++; /* pieces are in the order of the dirty cursors */
            cs_cursor_set_lagging(cursor, false);
        }
    }
    conn->reading.dirty_count -= done;
    if (done)
        memmove(conn->reading.dirty, conn->reading.dirty + done,
                conn->reading.dirty_count * sizeof *conn->reading.dirty);
    return !conn->output.queue && !conn->reading.dirty_count;
}

static void report_behind(struct conn *conn) {
    chatsock_server *server = conn->loop->server;
    conn->reading.wants_behind = false;
    conn->loop->events_reported = true;
    for (struct cursor *cursor = conn->reading.cursors; cursor; cursor = cursor->next)
        if (cursor->place == CS_BEHIND) {
            cursor->place = CS_REPORTED;
            server->events.behind(server->ctx, conn->id, cursor->topic->id, cursor->revision);
        }
}

void cs_conn_flush(struct conn *conn) {
    struct batch batch;
    while (cs_conn_can_write(conn) && (conn->output.queue || conn->reading.dirty_count)) {
        collect(conn, &batch);
        ssize_t sent = transmit(conn, batch.parts, batch.count);
        if (sent < 0)
            break;
        bool all = advance_all(conn, &batch, (size_t)sent);
        if ((size_t)sent < batch.bytes)
            wait_for_socket(conn);
        else if (all)
            break;
    }
    /* Cursors that were not written to keep their logs alive until the socket has room. */
    while (conn->reading.dirty_count)
        cs_cursor_set_lagging(conn->reading.dirty[--conn->reading.dirty_count], true);
    if (!cs_conn_can_write(conn))
        return;
    if (conn->reading.wants_behind)
        report_behind(conn);
    if (conn->state == CS_CLOSING && !conn->output.queue)
        shutdown(conn->fd, SHUT_WR); /* nothing follows, also if libwebsockets finds fault with what still comes */
}

void cs_conn_handle_writable(struct conn *conn) {
    if (conn->output.cut_bytes) /* libwebsockets calls this only once its own buffer, with the rest, is empty */
        cs_conn_clear_cut(conn);
    if (conn->waiting) {
        conn->waiting = false;
        CS_COUNT(conn->loop, stalled, -1);
    }
    if (!cs_conn_can_write(conn))
        return;
    for (struct cursor *cursor = conn->reading.cursors; cursor; cursor = cursor->next)
        if (cursor->place == CS_LIVE && cursor->frame < cursor->topic->log.next)
            conn->reading.dirty[conn->reading.dirty_count++] = cursor;
    cs_conn_flush(conn);
}

/* ---- chatsock_peek(): the data that a connection has not read yet ---- */

static void add_cursor(chatsock_backlog *backlog, const struct cursor *cursor) {
    const struct log *log = &cursor->topic->log;
    if (cursor->place == CS_LIVE && cursor->frame >= log->first)
        backlog->unsent_bytes += log->end - cs_log_start(log, cursor->frame);
    else
        backlog->lists_behind++;
}

void cs_conn_report_backlog(struct loop *loop, uint64_t id, uint64_t ticket) {
    chatsock_backlog backlog = {0};
    const struct conn *conn = cs_conn_find(loop, id);
    if (conn) {
        backlog.unsent_bytes = conn->output.queued_bytes + conn->output.cut_bytes;
        for (const struct cursor *cursor = conn->reading.cursors; cursor; cursor = cursor->next)
            add_cursor(&backlog, cursor);
        if (conn->waiting)
            backlog.waiting_ms = cs_loop_now(loop) - conn->progressed;
    }
    loop->server->events.peeked(loop->server->ctx, ticket, id, &backlog);
}
