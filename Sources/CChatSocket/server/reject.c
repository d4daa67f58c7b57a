/*
 * Rejections: connections that are told at once to come again later, before they have sent anything. Closing a socket
 * with unread input resets it, and the peer would lose the answer. So input is discarded until the peer closes, for a
 * short time, and for so few connections that they cost nothing. The others are closed without an answer.
 */
#include "conn/exchange.h"
#include "server/server.h"
#include "shared/socket.h"

#include <sys/socket.h>
#include <unistd.h>

enum { MOST = CS_REJECTIONS, PATIENCE_MS = 2000 };

struct rejection {
    uv_poll_t poll;
    struct loop *loop;
    int fd;
    uint64_t deadline; /* ms */
    struct rejection *next, **link;
};

static void on_closed(uv_handle_t *handle) {
    struct rejection *rejection = handle->data;
    close(rejection->fd);
    rejection->loop->rejections.count--;
    free(rejection);
}

static void close_rejection(struct rejection *rejection) {
    *rejection->link = rejection->next;
    if (rejection->next)
        rejection->next->link = rejection->link;
    uv_poll_stop(&rejection->poll);
    uv_close((uv_handle_t *)&rejection->poll, on_closed);
}

static void on_readable(uv_poll_t *poll, int status, int events) {
    struct rejection *rejection = poll->data;
    (void)events;
    if (status < 0 || cs_socket_discard_input(rejection->fd))
        close_rejection(rejection);
}

static struct rejection *open_rejection(struct loop *loop, int fd) {
    struct rejection *rejection = loop->rejections.count < MOST ? calloc(1, sizeof *rejection) : NULL;
    if (!rejection || uv_poll_init(&loop->uv, &rejection->poll, fd)) {
        free(rejection);
        return NULL;
    }
    rejection->poll.data = rejection;
    rejection->loop = loop;
    rejection->fd = fd;
    rejection->deadline = cs_loop_now(loop) + PATIENCE_MS;
    rejection->next = loop->rejections.first;
    rejection->link = &loop->rejections.first;
    if (rejection->next)
        rejection->next->link = &rejection->next;
    loop->rejections.first = rejection;
    loop->rejections.count++;
    return rejection;
}

void cs_rejection_open(struct loop *loop, int fd, unsigned status, const char *text) {
    /* With TLS, an answer would cost what the limit is meant to save. */
    struct rejection *rejection =
        loop->server->config.certificate || loop->destroying ? NULL : open_rejection(loop, fd);
    struct answer *answer = rejection ? cs_answer_new_status(loop->server, status, "retry-after: 1", text) : NULL;
    if (!rejection) {
        close(fd);
        return;
    }
    if (answer)
        send(fd, answer->bytes, answer->size, MSG_NOSIGNAL | MSG_DONTWAIT);
    cs_answer_free(answer);
    shutdown(fd, SHUT_WR);
    uv_poll_start(&rejection->poll, UV_READABLE, on_readable);
}

void cs_rejections_tick(struct loop *loop) {
    for (struct rejection *rejection = loop->rejections.first, *next; rejection; rejection = next) {
        next = rejection->next;
        if (loop->destroying || cs_loop_now(loop) >= rejection->deadline)
            close_rejection(rejection);
    }
}
