/*
 * libwebsockets 4.1.6 on libuv closes the descriptor of a context's event pipe twice: at once when the context is
 * destroyed, and again when libuv has closed the handle. In between another thread may be given the number, for a
 * database file or another server's socket, and then loses it. So the second time is ours to watch: it only happens
 * when the number is free, and we hold it while it does.
 */
#include "internal.h"

#include <fcntl.h>
#include <unistd.h>

static void remember(uv_handle_t *handle, void *argument) {
    struct pipe *pipe = argument;
    if (handle->type == UV_POLL) {
        pipe->handle = handle;
        uv_fileno(handle, &pipe->fd);
    }
}

void cs_pipe_find(struct pipe *pipe, uv_loop_t *loop) {
    loop->data = pipe;
    uv_walk(loop, remember, pipe);
}

static void on_closed(uv_handle_t *handle) {
    struct pipe *pipe = handle->loop->data;
    int held = fcntl(uv_backend_fd(handle->loop), F_DUPFD_CLOEXEC, pipe->fd);
    if (held == pipe->fd) {
        pipe->original(handle); /* closes what we hold */
        return;
    }
    if (held >= 0)
        close(held);
    free(handle); /* somebody else has the number: better to lose libwebsockets' few hundred bytes */
}

void cs_pipe_guard(struct pipe *pipe) {
    if (!pipe->handle || !uv_is_closing(pipe->handle))
        return;
    pipe->original = pipe->handle->close_cb;
    pipe->handle->close_cb = on_closed;
}
