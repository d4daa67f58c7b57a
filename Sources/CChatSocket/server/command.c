/* Runs the commands in a loop's inbox. A submission runs as a whole before the loop writes to sockets. */
#include "delivery/delivery.h"
#include "delivery/topic.h"
#include "http/http.h"
#include "server/inbox.h"
#include "server/server.h"

static void attach(struct conn *conn, const struct command *command) {
    if (conn->state != CS_OPEN)
        return;
    if (command->frame)
        cs_conn_send(conn, command->frame);
    if (conn->state == CS_OPEN && !cs_topic_attach(conn, command->topic, command->revision))
        cs_conn_close(conn, 1013, "out of memory"); /* better than a connection that misses messages */
}

static void respond(struct conn *conn, struct command *command) {
    if (conn->state == CS_RECEIVING)
        cs_upload_cancel(conn);
    else if (conn->state != CS_REQUEST)
        return;
    cs_http_respond(conn, command->with.answer, CS_APPLICATION);
    command->with.answer = NULL; /* taken */
}

static void run_for(struct conn *conn, struct command *command) {
    switch (command->kind) {
    case SEND:
        cs_conn_send(conn, command->frame);
        break;
    case ATTACH:
        attach(conn, command);
        break;
    case DETACH:
        cs_topic_detach(conn, command->topic);
        break;
    case CLOSE:
        if (command->frame)
            cs_conn_send(conn, command->frame);
        cs_conn_close(conn, command->code, command->with.reason ? command->with.reason : "");
        break;
    case RESPOND:
        respond(conn, command);
        break;
    default: /* commands for the loop */
        break;
    }
}

/* Reports also that the connection is gone: the application waits for that with an open file. */
static void start_upload(struct loop *loop, const struct command *command) {
    struct conn *conn = cs_conn_find(loop, command->conn);
    if (conn)
        cs_upload_start(conn, command->with.receive.file, command->with.receive.offset);
    else
        cs_upload_report(loop, command->conn, 0, false);
}

static void begin_stop(struct loop *loop, uint64_t grace_ms) {
    if (loop->stop_at)
        return;
    loop->stop_at = cs_loop_now(loop) + grace_ms + 1;
    if (loop->index == 0)
        cs_listener_close(loop->server);
    uint32_t at = 0;
    for (struct conn *conn; (conn = cs_slots_next(loop, &at));) {
        if (conn->state == CS_OPEN)
            cs_conn_close(conn, 1001, "going away");
        else if (conn->state == CS_REQUEST)
            cs_http_respond_status(conn, 503, NULL, "The server is stopping.\n");
        else if (conn->state == CS_HEADER)
            cs_conn_kill(conn);
    }
}

static void run(struct loop *loop, struct command *command) {
    struct conn *conn;
    switch (command->kind) {
    case APPEND:
        cs_topic_append(loop, command->topic, command->revision, command->frame);
        break;
    case CUT:
        cs_topic_cut(loop, command->topic);
        break;
    case PEEK:
        cs_conn_report_backlog(loop, command->conn, command->with.ticket);
        break;
    case RECEIVE:
        start_upload(loop, command);
        break;
    case ADOPT:
        cs_conn_adopt(loop, command->with.adopt.fd, &command->with.adopt.address, CS_ORDINARY);
        command->with.adopt.fd = -1;
        break;
    case STOP_ACCEPTING:
        cs_listener_close(loop->server);
        break;
    case SHED:
        cs_budget_shed(loop);
        break;
    case STOP:
        begin_stop(loop, command->with.grace_ms);
        break;
    default: /* commands for a connection, which may be gone */
        if ((conn = cs_conn_find(loop, command->conn)))
            run_for(conn, command);
        break;
    }
}

void cs_loop_run_commands(struct loop *loop) {
    for (struct submission *submission = cs_inbox_drain(loop), *next; submission; submission = next) {
        next = submission->next;
        for (size_t i = 0; i < submission->count; i++) {
            cs_command_uncount(loop, &submission->commands[i]);
            run(loop, &submission->commands[i]);
            cs_budget_check_growth(loop);
            if (submission->commands[i].kind == RESPOND && submission->commands[i].with.answer)
                cs_answer_close_file(loop, submission->commands[i].with.answer); /* nobody waits for it any more */
            cs_command_discard(&submission->commands[i]);
        }
        if (submission->publishes && submission->more)
            cs_loop_cork(loop);
        else if (submission->publishes)
            cs_loop_uncork(loop);
        free(submission);
    }
}
