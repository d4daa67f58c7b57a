/*
 * Connections that are told to come again later, before anything is known of them. A socket that is closed with input
 * unread resets what was sent, so what comes is thrown away until the peer has ended, for a moment, and for so few that
 * they cost nothing; the others are closed without a word.
 */
#include "internal.h"

#include <sys/socket.h>
#include <unistd.h>

enum { MOST = CS_FAREWELLS, PATIENCE_MS = 2000 };

struct farewell {
    uv_poll_t poll;
    struct loop *loop;
    int fd;
    uint64_t deadline; /* ms */
    struct farewell *next, **link;
};

static void on_closed(uv_handle_t *handle) {
    struct farewell *farewell = handle->data;
    close(farewell->fd);
    farewell->loop->farewell_count--;
    free(farewell);
}

static void end(struct farewell *farewell) {
    *farewell->link = farewell->next;
    if (farewell->next)
        farewell->next->link = farewell->link;
    uv_poll_stop(&farewell->poll);
    uv_close((uv_handle_t *)&farewell->poll, on_closed);
}

static void on_readable(uv_poll_t *poll, int status, int events) {
    struct farewell *farewell = poll->data;
    (void)events;
    if (status < 0 || cs_discard(farewell->fd))
        end(farewell);
}

static struct farewell *begin(struct loop *loop, int fd) {
    struct farewell *farewell = loop->farewell_count < MOST ? calloc(1, sizeof *farewell) : NULL;
    if (!farewell || uv_poll_init(&loop->uv, &farewell->poll, fd)) {
        free(farewell);
        return NULL;
    }
    farewell->poll.data = farewell;
    farewell->loop = loop;
    farewell->fd = fd;
    farewell->deadline = cs_now(loop) + PATIENCE_MS;
    farewell->next = loop->farewells;
    farewell->link = &loop->farewells;
    if (farewell->next)
        farewell->next->link = &farewell->next;
    loop->farewells = farewell;
    loop->farewell_count++;
    return farewell;
}

void cs_farewell(struct loop *loop, int fd, unsigned status, const char *text) {
    /* With TLS an answer would cost what the limit is there to save. */
    struct farewell *farewell = loop->server->config.certificate || loop->destroying ? NULL : begin(loop, fd);
    struct answer *answer = farewell ? cs_answer_status(loop->server, status, "retry-after: 1", text) : NULL;
    if (!farewell) {
        close(fd);
        return;
    }
    if (answer)
        send(fd, answer->bytes, answer->size, MSG_NOSIGNAL | MSG_DONTWAIT);
    cs_answer_free(answer);
    shutdown(fd, SHUT_WR);
    uv_poll_start(&farewell->poll, UV_READABLE, on_readable);
}

void cs_farewells_turn(struct loop *loop) {
    for (struct farewell *farewell = loop->farewells, *next; farewell; farewell = next) {
        next = farewell->next;
        if (loop->destroying || cs_now(loop) >= farewell->deadline)
            end(farewell);
    }
}
