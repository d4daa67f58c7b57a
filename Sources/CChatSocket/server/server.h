/* The work of a loop on its connections. On the loop's thread unless a comment says otherwise. */
#ifndef CS_SERVER_H
#define CS_SERVER_H

#include "conn/loop.h"

/* callback.c */
const struct lws_protocols *cs_server_protocols(void);

/* loop.c: on the thread that starts or stops the server */
int cs_loop_open(struct loop *loop, chatsock_server *server, unsigned index);
int cs_loop_start(struct loop *loop);
void cs_loop_close(struct loop *loop); /* after its thread has ended, or instead of starting it */

/* command.c */
void cs_loop_run_commands(struct loop *loop);

/* inbox.c: commands of our own for a loop. Any thread. False: the loop has stopped, or there is no memory */
bool cs_inbox_enqueue_adopt(struct loop *loop, int fd, const struct in6_addr *address); /* owns the descriptor */
void cs_inbox_enqueue_stop(struct loop *loop, unsigned grace_ms);
void cs_inbox_enqueue_shed(struct loop *loop);
bool cs_inbox_open(struct loop *loop); /* false: out of memory */
/* Discards what is in the inbox. Nothing enters it any more. */
void cs_inbox_close(struct loop *loop);
void cs_inbox_free(struct loop *loop);

/* budget.c */
uint64_t cs_budget_used(const chatsock_server *server); /* any thread */
/* Sheds when the loop has grown by CS_BUDGET_STEP and the server is over its budget. */
void cs_budget_check_growth(struct loop *loop);
/* Sheds because another loop found that this one has the connection that holds most. */
void cs_budget_shed(struct loop *loop);
void cs_budget_tick(struct loop *loop);

/* listen.c */
void cs_listener_init(chatsock_server *server);
chatsock_error cs_listener_bind(chatsock_server *server, int *detail);
int cs_listener_open(chatsock_server *server);
void cs_listener_close(chatsock_server *server);
void cs_listener_resume(chatsock_server *server);
/* Becomes the owner of the descriptor. Returns the number of the new connection, or 0 when there is none. */
uint64_t cs_conn_adopt(struct loop *loop, int fd, const struct in6_addr *address, enum cs_place_kind kind);

/* reject.c: becomes the owner of the descriptor */
void cs_rejection_open(struct loop *loop, int fd, unsigned status, const char *text);
void cs_rejections_tick(struct loop *loop);

/* deadlines.c */
uint64_t cs_conn_check_deadlines(struct conn *conn, uint64_t now);

/* receive.c: the bytes are borrowed. Returns -1 when libwebsockets is to end the connection */
int cs_conn_handle_data(struct conn *conn, const uint8_t *bytes, size_t count);
int cs_conn_handle_close(struct conn *conn, const uint8_t *bytes, size_t count);

#endif
