/* The parts of libwebsockets that server and client both use: contexts, the log, and the headers of a handshake. */
#include "shared/lws.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>

/* ---- contexts ---- */

static pthread_mutex_t creation = PTHREAD_MUTEX_INITIALIZER;

void cs_context_lock(void) {
    pthread_mutex_lock(&creation);
}

void cs_context_unlock(void) {
    pthread_mutex_unlock(&creation);
}

/* ---- the event pipe ---- */

/*
 * libwebsockets 4.1.6 on libuv closes the descriptor of a context's event pipe twice: at once when the context is
 * destroyed, and again when libuv has closed the handle. In between, another thread may get the same number for a
 * database file or another server's socket, and would lose it. So the library is made to forget the number after the
 * first time. It has no function for that. The field is found in the object by its value, and lws_get_socket_fd() tells
 * whether it was the right one.
 */

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

/* ---- the log ---- */

static _Thread_local cs_lws_log_sink *sink;
static _Thread_local void *sink_context;

static void write_line(int level, const char *line) {
    (void)level;
    if (sink) /* not while a server or client starts or ends: events only come on a loop's thread */
        sink(sink_context, line);
}

void cs_lws_log_open(void) {
    lws_set_log_level(LLL_ERR | LLL_WARN, write_line);
}

void cs_lws_log_set_sink(cs_lws_log_sink *to, void *context) {
    sink = to;
    sink_context = context;
}

/* ---- headers, which libwebsockets keeps until the handshake is over ---- */

const char *cs_lws_header_copy(struct lws *wsi, enum lws_token_indexes token, char *buffer, size_t size, bool *bad) {
    int length = lws_hdr_total_length(wsi, token);
    if (length <= 0)
        return NULL;
    int copied = lws_hdr_copy(wsi, buffer, (int)size, token);
    if (copied < 0 || memchr(buffer, 0, (size_t)copied) || !chatsock_is_utf8((const uint8_t *)buffer, (size_t)copied)) {
        *bad = true;
        return NULL;
    }
    return buffer;
}

bool cs_lws_header_is_empty(struct lws *wsi, enum lws_token_indexes token) {
    char nothing[1]; /* an empty header fits; a negative result means a longer value, or no such header */
    return lws_hdr_total_length(wsi, token) == 0 && lws_hdr_copy_fragment(wsi, nothing, sizeof nothing, token, 0) == 0;
}

bool cs_token_list_contains(const char *list, const char *token) {
    size_t length = strlen(token);
    while (*list) {
        list += strspn(list, ", \t");
        size_t count = strcspn(list, ", \t");
        if (count == length && !strncasecmp(list, token, length))
            return true;
        list += count;
    }
    return false;
}
