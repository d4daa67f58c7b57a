/*
 * libwebsockets 4.1.6 on libuv closes the descriptor of a context's event pipe twice: at once when the context is
 * destroyed, and again when libuv has closed the handle. In between, another thread may get the same number for a
 * database file or another server's socket, and would lose it. So the library is made to forget the number after the
 * first time. It has no function for that. The field is found in the object by its value, and lws_get_socket_fd() tells
 * whether it was the right one.
 */
#include "shared.h"

enum { WORDS = 256 }; /* the object is larger; the search ends at the field, which is near its middle */

static void remember(uv_handle_t *handle, void *argument) {
    struct pipe *pipe = argument;
    if (handle->type == UV_POLL) {
        pipe->handle = handle;
        pipe->wsi = handle->data;
    }
}

void cs_pipe_find(struct pipe *pipe, uv_loop_t *loop) {
    uv_walk(loop, remember, pipe);
}

void cs_pipe_clear_descriptor(struct pipe *pipe) {
    if (!pipe->handle || !uv_is_closing(pipe->handle))
        return;
    const int fd = lws_get_socket_fd(pipe->wsi), none = -1;
    uint8_t *object = (uint8_t *)pipe->wsi;
    for (size_t at = 0; at < WORDS * sizeof fd && lws_get_socket_fd(pipe->wsi) == fd; at += sizeof fd) {
        if (memcmp(object + at, &fd, sizeof fd))
            continue;
        memcpy(object + at, &none, sizeof fd);
        if (lws_get_socket_fd(pipe->wsi) == fd)
            memcpy(object + at, &fd, sizeof fd); /* it was another field with the same number */
    }
}
