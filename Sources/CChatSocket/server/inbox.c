/*
 * Commands on their way to a loop, from any thread. A submission is one block of memory with a list of commands. It
 * enters the inbox under one lock, and wakes the loop only if the inbox was empty.
 */
#include "server/inbox.h"
#include "server/server.h"
#include "shared/text.h"

#include <unistd.h>

void cs_command_discard(struct command *command) {
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

void cs_command_uncount(struct loop *loop, const struct command *command) {
    count_bytes(loop, -(int64_t)size_of(command));
}

static void discard_all(struct submission *submission) {
    for (struct submission *next; submission; submission = next) {
        next = submission->next;
        for (size_t i = 0; i < submission->count; i++)
            cs_command_discard(&submission->commands[i]);
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
static bool enqueue(struct loop *loop, struct submission *submission) {
    int64_t size = (int64_t)size_of_all(submission);
    pthread_mutex_lock(&loop->inbox.lock);
    /* Only the first submission wakes the loop: it empties the whole inbox, so a later one finds it awake. */
    bool is_closed = loop->inbox.closed, first = !loop->inbox.first;
    if (!is_closed) {
        CS_COUNT(loop, queued, submission->count); /* under the lock: one writer at a time */
        count_bytes(loop, size);
        *loop->inbox.end = submission;
        loop->inbox.end = &submission->next;
        if (first && !cs_loop_is_current(loop)) /* the loop itself checks its inbox before it sleeps */
            uv_async_send(&loop->wake);    /* under the lock: the handle lives while the inbox is open */
    }
    pthread_mutex_unlock(&loop->inbox.lock);
    if (is_closed)
        discard_all(submission);
    return !is_closed;
}

/* Takes over what `command` holds. Returns false when the loop has stopped or there is no memory. */
static bool enqueue_one(struct loop *loop, const struct command *command) {
    struct submission *submission = make_submission(1);
    if (!submission) {
        struct command gone = *command;
        cs_command_discard(&gone);
        return false;
    }
    submission->commands[0] = *command;
    return enqueue(loop, submission);
}

/* Empties the inbox. Under the lock. */
static struct submission *drain(struct loop *loop) {
    struct submission *all = loop->inbox.first;
    loop->inbox.first = NULL;
    loop->inbox.end = &loop->inbox.first;
    atomic_store_explicit(&loop->counters.queued, 0, memory_order_relaxed);
    return all;
}

struct submission *cs_inbox_drain(struct loop *loop) {
    pthread_mutex_lock(&loop->inbox.lock);
    struct submission *all = drain(loop);
    pthread_mutex_unlock(&loop->inbox.lock);
    return all;
}

bool cs_inbox_open(struct loop *loop) {
    pthread_mutex_init(&loop->inbox.lock, NULL);
    loop->inbox.end = &loop->inbox.first;
    loop->inbox.stop = make_submission(1);
    return loop->inbox.stop;
}

void cs_inbox_free(struct loop *loop) {
    pthread_mutex_destroy(&loop->inbox.lock);
    free(loop->inbox.stop);
}

/* Reports the bodies that will not be received. */
static void report_receiving(struct loop *loop, const struct submission *submission) {
    for (; submission; submission = submission->next)
        for (size_t i = 0; i < submission->count; i++)
            if (submission->commands[i].kind == RECEIVE)
                cs_upload_report(loop, submission->commands[i].conn, 0, false);
}

void cs_inbox_close(struct loop *loop) {
    pthread_mutex_lock(&loop->inbox.lock);
    struct submission *all = drain(loop);
    loop->inbox.closed = true;
    pthread_mutex_unlock(&loop->inbox.lock);
    report_receiving(loop, all);
    discard_all(all);
    atomic_store_explicit(&loop->counters.queued_bytes, 0, memory_order_relaxed);
}

/* ---- the public functions ---- */

static char *copy_reason(const char *reason) {
    char *copy = malloc(CS_REASON_BYTES + 1);
    if (copy)
        cs_reason_copy(copy, reason);
    return copy;
}

static struct command copy_command(const chatsock_command *wanted) {
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
        submission->commands[i] = copy_command(&commands[i]);
        submission->publishes |= commands[i].kind == CHATSOCK_APPEND;
    }
    enqueue(&server->loops[loop], submission);
}

void chatsock_respond(chatsock_server *server, uint64_t request, const chatsock_response *response) {
    struct answer *answer = cs_answer_new(server, response);
    struct command command = {.kind = RESPOND, .conn = request, .with.answer = answer};
    if (answer && cs_server_find_loop(server, request))
        enqueue_one(cs_server_find_loop(server, request), &command);
    else
        cs_answer_free(answer);
}

bool chatsock_save_body(chatsock_server *server, uint64_t request, int file, uint64_t offset) {
    struct loop *loop = cs_server_find_loop(server, request);
    return loop &&
           enqueue_one(loop, &(struct command){.kind = RECEIVE, .conn = request, .with.receive = {file, offset}});
}

void chatsock_peek(chatsock_server *server, uint64_t conn, uint64_t ticket) {
    if (cs_server_find_loop(server, conn))
        enqueue_one(cs_server_find_loop(server, conn),
                    &(struct command){.kind = PEEK, .conn = conn, .with.ticket = ticket});
}

void chatsock_stop_accepting(chatsock_server *server) {
    enqueue_one(&server->loops[0], &(struct command){.kind = STOP_ACCEPTING});
}

bool cs_inbox_enqueue_adopt(struct loop *loop, int fd, const struct in6_addr *address) {
    return enqueue_one(loop, &(struct command){.kind = ADOPT, .with.adopt = {fd, *address}});
}

void cs_inbox_enqueue_stop(struct loop *loop, unsigned grace_ms) {
    struct submission *stop = loop->inbox.stop;
    loop->inbox.stop = NULL; /* a server is stopped once */
    stop->commands[0] = (struct command){.kind = STOP, .with.grace_ms = grace_ms};
    enqueue(loop, stop);
}

void cs_inbox_enqueue_shed(struct loop *loop) {
    enqueue_one(loop, &(struct command){.kind = SHED});
}
