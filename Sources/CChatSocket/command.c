/*
 * Commands for a loop, from any thread. A submission is one block of memory with a list of commands. It enters the
 * inbox under one lock, wakes the loop only if the inbox was empty, and runs as a whole before the loop writes to
 * sockets.
 */
#include "http.h"

#include <unistd.h>

enum kind { SEND, ATTACH, DETACH, APPEND, CUT, CLOSE, RESPOND, PEEK, ADOPT, STOP_ACCEPTING, STOP, SHED };

struct command {
    enum kind kind;
    uint16_t code; /* of CLOSE */
    uint64_t conn, topic, revision;
    chatsock_frame *frame; /* holds a reference, or NULL */
    union {
        char *reason;          /* of CLOSE; owned; NULL if there was no memory */
        struct answer *answer; /* owned */
        uint64_t ticket;
        struct {
            int fd;
            struct in6_addr address;
        } adopt;
        unsigned grace_ms;
    } with;
};

struct submission {
    struct submission *next;
    size_t count;
    bool more;      /* it corks what it appends */
    bool publishes; /* it appends to logs, or uncorks */
    struct command commands[];
};

static void discard(struct command *command) {
    if (command->frame)
        chatsock_frame_release(command->frame);
    if (command->kind == CLOSE)
        free(command->with.reason);
    if (command->kind == RESPOND)
        cs_answer_free(command->with.answer);
    if (command->kind == ADOPT && command->with.adopt.fd >= 0)
        close(command->with.adopt.fd);
}

/* Returns the bytes of the command's frame or answer, which count against the budget. */
static size_t size_of(const struct command *command) {
    return command->kind == RESPOND ? command->with.answer->size : command->frame ? command->frame->size : 0;
}

static size_t size_of_all(const struct submission *submission) {
    size_t size = 0;
    for (size_t i = 0; i < submission->count; i++)
        size += size_of(&submission->commands[i]);
    return size;
}

/* Counts bytes that enter the inbox, or with a negative number leave it. */
static void count_bytes(struct loop *loop, int64_t more) {
    if (more)
        atomic_fetch_add_explicit(&loop->counters.queued_bytes, (uint64_t)more, memory_order_relaxed);
}

static void discard_all(struct submission *submission) {
    for (struct submission *next; submission; submission = next) {
        next = submission->next;
        for (size_t i = 0; i < submission->count; i++)
            discard(&submission->commands[i]);
        free(submission);
    }
}

static struct submission *make_submission(size_t count) {
    struct submission *submission = malloc(sizeof *submission + count * sizeof *submission->commands);
    if (submission)
        *submission = (struct submission){.count = count};
    return submission;
}

/* Takes over a submission. Returns false when the loop has stopped. */
static bool put(struct loop *loop, struct submission *submission) {
    int64_t size = (int64_t)size_of_all(submission);
    pthread_mutex_lock(&loop->lock);
    bool deaf = loop->deaf, first = !loop->inbox;
    if (!deaf) {
        CS_COUNT(loop, queued, submission->count); /* under the lock: one writer at a time */
        count_bytes(loop, size);
        *loop->inbox_end = submission;
        loop->inbox_end = &submission->next;
        if (first && !cs_is_current(loop)) /* the loop itself checks its inbox before it sleeps */
            uv_async_send(&loop->wake);    /* under the lock: the handle lives while the loop is not deaf */
    }
    pthread_mutex_unlock(&loop->lock);
    if (deaf)
        discard_all(submission);
    return !deaf;
}

/* Takes over what `command` holds. Returns false when the loop has stopped or there is no memory. */
static bool post(struct loop *loop, const struct command *command) {
    struct submission *submission = make_submission(1);
    if (!submission) {
        struct command gone = *command;
        discard(&gone);
        return false;
    }
    submission->commands[0] = *command;
    return put(loop, submission);
}

static void attach(struct conn *conn, const struct command *command) {
    if (conn->state != CS_OPEN)
        return;
    if (command->frame)
        cs_send(conn, command->frame);
    if (conn->state == CS_OPEN)
        cs_topic_attach(conn, command->topic, command->revision);
}

static void respond(struct conn *conn, struct command *command) {
    if (conn->state != CS_REQUEST)
        return;
    cs_http_respond(conn, command->with.answer);
    command->with.answer = NULL; /* taken */
}

static void run_for(struct conn *conn, struct command *command) {
    switch (command->kind) {
    case SEND:
        cs_send(conn, command->frame);
        break;
    case ATTACH:
        attach(conn, command);
        break;
    case DETACH:
        cs_topic_detach(conn, command->topic);
        break;
    case CLOSE:
        if (command->frame)
            cs_send(conn, command->frame);
        cs_close(conn, command->code, command->with.reason ? command->with.reason : "");
        break;
    case RESPOND:
        respond(conn, command);
        break;
    default: /* commands for the loop */
        break;
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
        cs_peek(loop, command->conn, command->with.ticket);
        break;
    case ADOPT:
        cs_adopt(loop, command->with.adopt.fd, &command->with.adopt.address, CS_ORDINARY);
        command->with.adopt.fd = -1;
        break;
    case STOP_ACCEPTING:
        cs_listener_close(loop->server);
        break;
    case SHED:
        cs_budget_shed(loop);
        break;
    case STOP:
        cs_loop_begin_stop(loop, command->with.grace_ms);
        break;
    default: /* commands for a connection, which may be gone */
        if ((conn = cs_find(loop, command->conn)))
            run_for(conn, command);
        break;
    }
}

static struct submission *take_all(struct loop *loop, bool deaf) {
    pthread_mutex_lock(&loop->lock);
    struct submission *all = loop->inbox;
    loop->inbox = NULL;
    atomic_store_explicit(&loop->counters.queued, 0, memory_order_relaxed);
    loop->inbox_end = &loop->inbox;
    loop->deaf |= deaf;
    pthread_mutex_unlock(&loop->lock);
    return all;
}

void cs_commands_run(struct loop *loop) {
    for (struct submission *submission = take_all(loop, false), *next; submission; submission = next) {
        next = submission->next;
        for (size_t i = 0; i < submission->count; i++) {
            count_bytes(loop, -(int64_t)size_of(&submission->commands[i]));
            run(loop, &submission->commands[i]);
            cs_budget_mind(loop);
            discard(&submission->commands[i]);
        }
        if (submission->publishes && submission->more)
            cs_cork(loop);
        else if (submission->publishes)
            cs_uncork(loop);
        free(submission);
    }
}

void cs_commands_drop(struct loop *loop) {
    discard_all(take_all(loop, true));
    atomic_store_explicit(&loop->counters.queued_bytes, 0, memory_order_relaxed);
}

/* ---- the public functions ---- */

static char *copy_reason(const char *reason) {
    char *copy = malloc(CS_REASON_BYTES + 1);
    if (copy)
        cs_copy_reason(copy, reason);
    return copy;
}

static struct command taken_over(const chatsock_command *wanted) {
    static const enum kind kinds[] = {
        [CHATSOCK_SEND] = SEND,     [CHATSOCK_ATTACH] = ATTACH, [CHATSOCK_DETACH] = DETACH,
        [CHATSOCK_APPEND] = APPEND, [CHATSOCK_CUT] = CUT,       [CHATSOCK_CLOSE] = CLOSE,
    };
    struct command command = {.kind = kinds[wanted->kind],
                              .code = wanted->code,
                              .conn = wanted->conn,
                              .topic = wanted->topic,
                              .revision = wanted->revision,
                              .frame = wanted->frame};
    if (command.frame)
        chatsock_frame_retain(command.frame);
    if (command.kind == CLOSE)
        command.with.reason = copy_reason(wanted->reason ? wanted->reason : "");
    return command;
}

void chatsock_submit(chatsock_server *server, unsigned loop, const chatsock_command *commands, size_t count,
                     bool more) {
    struct submission *submission = loop < server->loop_count ? make_submission(count) : NULL;
    if (!submission)
        return;
    submission->more = more;
    submission->publishes = !count;
    for (size_t i = 0; i < count; i++) {
        submission->commands[i] = taken_over(&commands[i]);
        submission->publishes |= commands[i].kind == CHATSOCK_APPEND;
    }
    put(&server->loops[loop], submission);
}

void chatsock_respond(chatsock_server *server, uint64_t request, const chatsock_response *response) {
    struct answer *answer = cs_answer_copy(server, response);
    struct command command = {.kind = RESPOND, .conn = request, .with.answer = answer};
    if (answer && cs_loop_of(server, request))
        post(cs_loop_of(server, request), &command);
    else
        cs_answer_free(answer);
}

void chatsock_peek(chatsock_server *server, uint64_t conn, uint64_t ticket) {
    if (cs_loop_of(server, conn))
        post(cs_loop_of(server, conn), &(struct command){.kind = PEEK, .conn = conn, .with.ticket = ticket});
}

void chatsock_stop_accepting(chatsock_server *server) {
    post(&server->loops[0], &(struct command){.kind = STOP_ACCEPTING});
}

bool cs_command_adopt(struct loop *loop, int fd, const struct in6_addr *address) {
    return post(loop, &(struct command){.kind = ADOPT, .with.adopt = {fd, *address}});
}

void cs_command_stop(struct loop *loop, unsigned grace_ms) {
    post(loop, &(struct command){.kind = STOP, .with.grace_ms = grace_ms});
}

void cs_command_shed(struct loop *loop) {
    post(loop, &(struct command){.kind = SHED});
}
