/* The queues of output: a connection's private frames, and the loop's list of connections to write to. */
#include "server.h"

/* ---- the list ---- */

static bool make_room(struct lates *late) {
    if (late->count < late->room)
        return true;
    uint32_t room = late->room ? late->room * 2 : 64;
    struct conn **more = realloc(late->conns, room * sizeof *more);
    if (!more)
        return false;
    late->conns = more;
    late->room = room;
    return true;
}

void cs_late(struct conn *conn) {
    struct lates *late = &conn->loop->late;
    if (conn->late)
        return;
    if (!make_room(late)) {
        cs_kill(conn);
        return;
    }
    late->conns[late->count++] = conn;
    conn->late = late->count;
}

void cs_not_late(struct conn *conn) {
    struct lates *late = &conn->loop->late;
    if (!conn->late)
        return;
    struct conn *last = late->conns[--late->count];
    late->conns[conn->late - 1] = last;
    last->late = conn->late;
    conn->late = 0;
}

/* ---- private frames, oldest first ---- */

void cs_queue(struct conn *conn, chatsock_frame *frame) {
    struct queued *entry = malloc(sizeof *entry);
    if (!entry) {
        cs_kill(conn); /* to lose a frame silently would be worse */
        return;
    }
    chatsock_frame_retain(frame);
    *entry = (struct queued){.frame = frame};
    *conn->queue_end = entry;
    conn->queue_end = &entry->next;
    conn->queued_bytes += frame->size;
    CS_TAKE(conn->loop, private_bytes, frame->size);
    cs_budget_owes(conn, 0);
    if (cs_can_write(conn))
        cs_late(conn);
}

void cs_queue_sent(struct conn *conn, size_t at) {
    struct queued *entry = conn->queue;
    conn->queued_bytes -= at - entry->gone;
    CS_COUNT(conn->loop, private_bytes, -(int64_t)(at - entry->gone));
    entry->gone = at;
    if (at < entry->frame->size)
        return;
    conn->queue = entry->next;
    if (!conn->queue)
        conn->queue_end = &conn->queue;
    chatsock_frame_release(entry->frame);
    free(entry);
}

void cs_queue_free(struct conn *conn) {
    while (conn->queue)
        cs_queue_sent(conn, conn->queue->frame->size);
}

void cs_cut_settled(struct conn *conn) {
    CS_COUNT(conn->loop, cut_bytes, -(int64_t)conn->cut_bytes);
    conn->cut_bytes = 0;
}
