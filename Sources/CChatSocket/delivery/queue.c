/* The queues of output: a connection's private frames, and the loop's list of connections to write to. */
#include "delivery/delivery.h"

/* ---- the list ---- */

static bool make_room(struct flush_list *list) {
    if (list->count < list->room)
        return true;
    uint32_t room = list->room ? list->room * 2 : 64;
    struct conn **more = realloc(list->conns, room * sizeof *more);
    if (!more)
        return false;
    list->conns = more;
    list->room = room;
    return true;
}

void cs_conn_schedule_flush(struct conn *conn) {
    struct flush_list *list = &conn->loop->to_flush;
    if (conn->output.flush_index)
        return;
    if (!make_room(list)) {
        cs_conn_kill(conn);
        return;
    }
    list->conns[list->count++] = conn;
    conn->output.flush_index = list->count;
}

void cs_conn_cancel_flush(struct conn *conn) {
    struct flush_list *list = &conn->loop->to_flush;
    if (!conn->output.flush_index)
        return;
    struct conn *last = list->conns[--list->count];
    list->conns[conn->output.flush_index - 1] = last;
    last->output.flush_index = conn->output.flush_index;
    conn->output.flush_index = 0;
}

struct conn *cs_flush_list_pop(struct loop *loop) {
    struct flush_list *list = &loop->to_flush;
    if (!list->count)
        return NULL;
    struct conn *conn = list->conns[list->count - 1];
    cs_conn_cancel_flush(conn);
    return conn;
}

bool cs_flush_list_is_empty(const struct loop *loop) {
    return !loop->to_flush.count;
}

void cs_flush_list_free(struct loop *loop) {
    free(loop->to_flush.conns);
    loop->to_flush = (struct flush_list){0};
}

/* ---- private frames, oldest first ---- */

void cs_conn_enqueue(struct conn *conn, chatsock_frame *frame) {
    struct queued *entry = malloc(sizeof *entry);
    if (!entry) {
        cs_conn_kill(conn); /* to lose a frame silently would be worse */
        return;
    }
    chatsock_frame_retain(frame);
    *entry = (struct queued){.frame = frame};
    *conn->output.queue_end = entry;
    conn->output.queue_end = &entry->next;
    conn->output.queued_bytes += frame->size;
    CS_CHARGE(conn->loop, private_bytes, frame->size);
    cs_budget_raise_largest(conn, 0);
    if (cs_conn_can_write(conn))
        cs_conn_schedule_flush(conn);
}

void cs_queue_advance(struct conn *conn, size_t at) {
    struct queued *entry = conn->output.queue;
    conn->output.queued_bytes -= at - entry->gone;
    CS_COUNT(conn->loop, private_bytes, -(int64_t)(at - entry->gone));
    entry->gone = at;
    if (at < entry->frame->size)
        return;
    conn->output.queue = entry->next;
    if (!conn->output.queue)
        conn->output.queue_end = &conn->output.queue;
    chatsock_frame_release(entry->frame);
    free(entry);
}

void cs_queue_clear(struct conn *conn) {
    while (conn->output.queue)
        cs_queue_advance(conn, conn->output.queue->frame->size);
}

void cs_conn_clear_cut(struct conn *conn) {
    CS_COUNT(conn->loop, cut_bytes, -(int64_t)conn->output.cut_bytes);
    conn->output.cut_bytes = 0;
}
