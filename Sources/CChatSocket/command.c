/* What other threads want of a loop: a queue under a mutex, and one wake-up for each time it was empty. */
#include "server.h"

#include <unistd.h>

enum kind { SEND, ATTACH, DETACH, APPEND, CUT, RELEASE, CLOSE, RESPOND, LOOK, ADOPT, STOP_ACCEPTING, STOP, SHED };

struct command {
    struct command *next;
    enum kind kind;
    uint64_t conn, topic, revision, ticket;
    bool more;
    union {
        chatsock_frame *frame; /* holds a reference */
        struct answer *answer; /* owned */
        struct {
            chatsock_frame *last; /* holds a reference, or NULL */
            uint16_t code;
            char reason[CS_REASON_BYTES + 1];
        } close;
        struct {
            int fd;
            struct in6_addr address;
        } adopt;
        unsigned grace_ms;
    } with;
};

static void discard(struct command *command) {
    if (command->kind <= APPEND && command->with.frame)
        chatsock_frame_release(command->with.frame);
    if (command->kind == CLOSE && command->with.close.last)
        chatsock_frame_release(command->with.close.last);
    if (command->kind == RESPOND)
        cs_answer_free(command->with.answer);
    if (command->kind == ADOPT)
        close(command->with.adopt.fd);
}

static void discard_all(struct command *command) {
    for (struct command *next; command; command = next) {
        next = command->next;
        discard(command);
        free(command);
    }
}

/* Takes over a chain of commands. False: the loop has stopped. */
static bool put(struct loop *loop, struct command *chain, struct command **end, unsigned count) {
    pthread_mutex_lock(&loop->lock);
    bool deaf = loop->deaf, first = !loop->inbox;
    if (!deaf) {
        CS_COUNT(loop, queued, count); /* under the lock: one writer at a time */
        *loop->inbox_end = chain;
        loop->inbox_end = end;
        if (first && !cs_is_current(loop)) /* the loop looks itself before it sleeps */
            uv_async_send(&loop->wake);    /* under the lock: the handle lives while the loop is not deaf */
    }
    pthread_mutex_unlock(&loop->lock);
    if (deaf)
        discard_all(chain);
    return !deaf;
}

enum { GATHERED_BYTES = 1 << 20 }; /* of frames: no more waits for its thread, where it counts against no budget */

struct gathered { /* for one loop */
    struct command *chain, **end;
    unsigned count;
    size_t bytes;
};

/* What this thread has gathered, for each loop; NULL when it does not gather. */
static _Thread_local struct gathered *gathered;

static void hand_over(struct loop *loop, struct gathered *mine) {
    if (mine->chain)
        put(loop, mine->chain, mine->end, mine->count);
    *mine = (struct gathered){0};
}

/* Takes over what `command` holds. False: the loop has stopped, or there is no memory. */
static bool post(struct loop *loop, const struct command *command) {
    struct command *copy = malloc(sizeof *copy);
    if (!copy) {
        struct command gone = *command;
        discard(&gone);
        return false;
    }
    *copy = *command;
    copy->next = NULL;
    if (!gathered)
        return put(loop, copy, &copy->next, 1);
    struct gathered *mine = &gathered[loop->index];
    if (mine->chain)
        *mine->end = copy;
    else
        mine->chain = copy;
    mine->end = &copy->next;
    mine->count++;
    if (copy->kind <= APPEND && copy->with.frame && (mine->bytes += copy->with.frame->size) >= GATHERED_BYTES)
        hand_over(loop, mine);
    return true;
}

static void attach(struct conn *conn, const struct command *command) {
    if (conn->state != CS_OPEN)
        return;
    if (command->with.frame)
        cs_send(conn, command->with.frame);
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
        cs_send(conn, command->with.frame);
        break;
    case ATTACH:
        attach(conn, command);
        break;
    case DETACH:
        cs_topic_detach(conn, command->topic);
        break;
    case CLOSE:
        if (command->with.close.last)
            cs_send(conn, command->with.close.last);
        cs_close(conn, command->with.close.code, command->with.close.reason);
        break;
    case RESPOND:
        respond(conn, command);
        break;
    default: /* of the loop */
        break;
    }
}

static void run(struct loop *loop, struct command *command) {
    struct conn *conn;
    switch (command->kind) {
    case APPEND:
        cs_topic_append(loop, command->topic, command->revision, command->with.frame, command->more);
        break;
    case CUT:
        cs_topic_cut(loop, command->topic);
        break;
    case RELEASE:
        cs_loop_uncork(loop);
        break;
    case LOOK:
        cs_peek(loop, command->conn, command->ticket);
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
    default: /* of a connection that may have gone */
        if ((conn = cs_find(loop, command->conn)))
            run_for(conn, command);
        break;
    }
}

static struct command *take_all(struct loop *loop, bool deaf) {
    pthread_mutex_lock(&loop->lock);
    struct command *all = loop->inbox;
    loop->inbox = NULL;
    atomic_store_explicit(&loop->counters.queued, 0, memory_order_relaxed);
    loop->inbox_end = &loop->inbox;
    loop->deaf |= deaf;
    pthread_mutex_unlock(&loop->lock);
    return all;
}

void cs_commands_run(struct loop *loop) {
    for (struct command *command = take_all(loop, false), *next; command; command = next) {
        next = command->next;
        run(loop, command);
        cs_budget_mind(loop);
        if (command->kind != ADOPT)
            discard(command);
        free(command);
    }
}

void cs_commands_drop(struct loop *loop) {
    discard_all(take_all(loop, true));
}

/* ---- the functions of the wall ---- */

static void post_frame(struct loop *loop, struct command command, chatsock_frame *frame) {
    if (!loop)
        return;
    if (frame)
        chatsock_frame_retain(frame);
    command.with.frame = frame;
    post(loop, &command);
}

void chatsock_send(chatsock_server *server, uint64_t conn, chatsock_frame *frame) {
    post_frame(cs_loop_of(server, conn), (struct command){.kind = SEND, .conn = conn}, frame);
}

void chatsock_attach(chatsock_server *server, uint64_t conn, uint64_t topic, uint64_t revision,
                     chatsock_frame *frame) {
    struct command command = {.kind = ATTACH, .conn = conn, .topic = topic, .revision = revision};
    post_frame(cs_loop_of(server, conn), command, frame);
}

void chatsock_detach(chatsock_server *server, uint64_t conn, uint64_t topic) {
    post_frame(cs_loop_of(server, conn), (struct command){.kind = DETACH, .conn = conn, .topic = topic}, NULL);
}

void chatsock_append(chatsock_server *server, unsigned loop, uint64_t topic, uint64_t revision, chatsock_frame *frame,
                     bool more) {
    struct command command = {.kind = APPEND, .topic = topic, .revision = revision, .more = more};
    post_frame(loop < server->loop_count ? &server->loops[loop] : NULL, command, frame);
}

void chatsock_cut(chatsock_server *server, unsigned loop, uint64_t topic) {
    if (loop < server->loop_count)
        post(&server->loops[loop], &(struct command){.kind = CUT, .topic = topic});
}

void chatsock_uncork(chatsock_server *server) {
    for (unsigned i = 0; i < server->loop_count; i++)
        post(&server->loops[i], &(struct command){.kind = RELEASE});
}

void chatsock_begin(chatsock_server *server) {
    gathered = calloc(server->loop_count, sizeof *gathered); /* without memory each goes by itself */
}

void chatsock_submit(chatsock_server *server) {
    struct gathered *mine = gathered;
    gathered = NULL;
    for (unsigned i = 0; mine && i < server->loop_count; i++)
        hand_over(&server->loops[i], &mine[i]);
    free(mine);
}

void chatsock_close(chatsock_server *server, uint64_t conn, chatsock_frame *last, uint16_t code, const char *reason) {
    struct command command = {.kind = CLOSE, .conn = conn, .with.close = {.last = last, .code = code}};
    cs_copy_reason(command.with.close.reason, reason);
    if (!cs_loop_of(server, conn))
        return;
    if (last)
        chatsock_frame_retain(last);
    post(cs_loop_of(server, conn), &command);
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
        post(cs_loop_of(server, conn), &(struct command){.kind = LOOK, .conn = conn, .ticket = ticket});
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
