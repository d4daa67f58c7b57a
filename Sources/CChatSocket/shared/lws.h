/* libwebsockets, as far as the server and the client use it alike. */
#ifndef CS_LWS_H
#define CS_LWS_H

#include "chatsocket.h"

#include <libwebsockets.h>
#include <uv.h>

#define CS_PROTOCOL "diffroom.v1.json"

/* ---- contexts ---- */

/* Held while a context is created or destroyed, because both touch process-wide state. Any thread. */
void cs_context_lock(void);
void cs_context_unlock(void);

struct pipe { /* the event pipe of a context; both pointers are libwebsockets' and valid until its handles are closed */
    uv_handle_t *handle;
    struct lws *wsi;
};

/* Call it right after a context was made on `loop`, while the context has no other socket. */
void cs_pipe_find(struct pipe *pipe, uv_loop_t *loop);
/* Call it right after lws_context_destroy() has begun, on the loop's thread. */
void cs_pipe_clear_descriptor(struct pipe *pipe);

/* ---- its log: one for the process ---- */

typedef void cs_lws_log_sink(void *context, const char *line); /* `line` is borrowed */
/* Directs the warnings and errors that libwebsockets logs to the sinks. Any thread, under the context lock. */
void cs_lws_log_open(void);
/* Sets the sink for the lines that this thread causes. NULL, as at first: none. `context` is borrowed until the sink
   is set again. */
void cs_lws_log_set_sink(cs_lws_log_sink *to, void *context);

/* ---- the header of a handshake: on the loop's thread, until the handshake is over ---- */

/* Copies a header's value into `buffer`; NULL when it is absent. *bad: it does not fit or holds a NUL. */
const char *cs_lws_header_copy(struct lws *wsi, enum lws_token_indexes token, char *buffer, size_t size, bool *bad);
/* True when the header is present but empty. cs_lws_header_copy() does not distinguish that from an absent header. */
bool cs_lws_header_is_empty(struct lws *wsi, enum lws_token_indexes token);
/* True when the comma-separated `list` contains `token`, in any case. */
bool cs_token_list_contains(const char *list, const char *token);

#endif
