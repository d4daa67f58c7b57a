/* Writing to connections: private frames, closing, and when a loop writes. On the loop's thread. */
#ifndef CS_DELIVERY_H
#define CS_DELIVERY_H

#include "conn/loop.h"

/* ---- queue.c ---- */

static inline void cs_queue_open(struct conn *conn) {
    conn->output.queue_end = &conn->output.queue;
}
/* Queues a private frame, without a limit. Retains it. */
void cs_conn_enqueue(struct conn *conn, chatsock_frame *frame);
/* Records that the first frame of the queue is sent up to byte `at`. At its end the frame leaves the queue. */
void cs_queue_advance(struct conn *conn, size_t at);
void cs_queue_clear(struct conn *conn);
/* The rest of a cut frame is out, or gone. */
void cs_conn_clear_cut(struct conn *conn);
/* Has the connection written to at the end of the turn. */
void cs_conn_schedule_flush(struct conn *conn);
void cs_conn_cancel_flush(struct conn *conn);
/* Removes the last connection of the flush list; NULL: it is empty. */
struct conn *cs_flush_list_pop(struct loop *loop);
bool cs_flush_list_is_empty(const struct loop *loop);
void cs_flush_list_free(struct loop *loop);

/* ---- conn_close.c ---- */

/* Gives the connection to libwebsockets. */
void cs_conn_attach_wsi(struct conn *conn);
void cs_conn_close(struct conn *conn, uint16_t code, const char *reason);
/* Stops writing to the connection and reporting about it, and frees what it held. The struct stays until
   cs_conn_free(). */
void cs_conn_tear_down(struct conn *conn, uint16_t code);
void cs_conn_free(struct conn *conn);

/* ---- outbox.c ---- */

/* Queues a private frame for the connection. Closes the connection when it is over its limit. */
void cs_conn_send(struct conn *conn, chatsock_frame *frame);
/* The same, but after what libwebsockets sends by itself: its pongs to earlier pings. */
void cs_conn_send_after_pongs(struct conn *conn, chatsock_frame *frame);
/* Writes private frames, then what the dirty cursors lack, as far as the socket takes it. */
void cs_conn_flush(struct conn *conn);
struct cursor;
/* Writes all that one cursor lacks to a connection that has nothing else to get. Almost every delivery goes this
   way. */
void cs_cursor_flush(struct cursor *cursor);
void cs_conn_handle_writable(struct conn *conn);
static inline bool cs_conn_can_write(const struct conn *conn) {
    return !conn->waiting && (conn->state == CS_OPEN || conn->state == CS_CLOSING);
}
/* Answers chatsock_peek(). */
void cs_conn_report_backlog(struct loop *loop, uint64_t id, uint64_t ticket);

/* ---- fanout.c: when a loop writes ---- */

/* Lets writing wait for more, until the next round of writing or cs_loop_uncork(). */
void cs_loop_cork(struct loop *loop);
void cs_loop_uncork(struct loop *loop);
/* The events of this turn may soon bring new frames: those that are there wait for them. */
void cs_cork_expect_more(struct loop *loop);
/* Writes at the end of a turn, unless more is on its way. */
void cs_cork_end_turn(struct loop *loop);
/* True when the loop is to write soon, and must not sleep. */
bool cs_cork_is_due(const struct loop *loop);
void cs_cork_open(struct loop *loop);
void cs_cork_close(struct loop *loop);

#endif
