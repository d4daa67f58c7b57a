/* Answers chatsock_peek(): the data that a connection has not taken yet. */
#include "server.h"

static void add(chatsock_backlog *backlog, const struct cursor *cursor) {
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
        backlog.unsent_bytes = conn->queued_bytes + conn->cut_bytes;
        for (const struct cursor *cursor = conn->cursors; cursor; cursor = cursor->next)
            add(&backlog, cursor);
        if (conn->waiting)
            backlog.waiting_ms = cs_loop_now(loop) - conn->progressed;
    }
    loop->server->events.peeked(loop->server->ctx, ticket, id, &backlog);
}
