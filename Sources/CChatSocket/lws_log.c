/* Log lines of libwebsockets. Its log is one for the process, so each thread says where its own lines go. */
#include "shared.h"

static _Thread_local cs_lws_log_sink *sink;
static _Thread_local void *sink_context;

static void emit(int level, const char *line) {
    (void)level;
    if (sink) /* not while a server or client starts or ends: events only come on a loop's thread */
        sink(sink_context, line);
}

void cs_lws_log_open(void) {
    lws_set_log_level(LLL_ERR | LLL_WARN, emit);
}

void cs_lws_log_set_sink(cs_lws_log_sink *to, void *context) {
    sink = to;
    sink_context = context;
}
