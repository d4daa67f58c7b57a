/* Log lines of a server, from libwebsockets and our own. Peers can cause them and put text into them, so they are
   escaped and rate limited. */
#include "conn/loop.h"

#include <stdio.h>

enum { LINES_PER_WINDOW = 20, WINDOW_MS = 10000, LINE_BYTES = 240 };

static _Thread_local struct loop *current;

static void escape(const char *line, char out[LINE_BYTES]) {
    size_t n = 0;
    for (const unsigned char *p = (const unsigned char *)line; *p && *p != '\n' && n < LINE_BYTES - 5; p++)
        n += (size_t)snprintf(out + n, LINE_BYTES - n, *p >= ' ' && *p < 127 && *p != '\\' ? "%c" : "\\x%02x", *p);
    out[n] = 0;
}

static void emit(void *context, const char *line) {
    struct loop *loop = context;
    char text[LINE_BYTES], note[64];
    const chatsock_events *events = &loop->server->events;
    uint64_t now = cs_loop_now(loop);
    if (now - loop->log_limit.window >= WINDOW_MS || !loop->log_limit.window) {
        if (loop->log_limit.dropped) {
            snprintf(note, sizeof note, "%u more lines were dropped", loop->log_limit.dropped);
            events->log(loop->server->ctx, note);
        }
        loop->log_limit.window = now;
        loop->log_limit.lines = loop->log_limit.dropped = 0;
    }
    if (++loop->log_limit.lines > LINES_PER_WINDOW) {
        loop->log_limit.dropped++;
        return;
    }
    escape(line, text);
    events->log(loop->server->ctx, text);
}

void cs_conn_log_refusal(const struct conn *conn, const char *text) {
    char address[CS_ADDRESS_BYTES], line[LINE_BYTES];
    cs_address_format(&conn->address, address);
    snprintf(line, sizeof line, "%s was refused: %s", address, text);
    emit(conn->loop, line);
}

void cs_conn_log_origin(const struct conn *conn, const char *origin, const char *text) {
    char address[CS_ADDRESS_BYTES], line[LINE_BYTES];
    cs_address_format(&conn->address, address);
    if (*origin)
        snprintf(line, sizeof line, "%s was refused: a page of %.100s. %s", address, origin, text);
    else
        snprintf(line, sizeof line, "%s was refused: %s", address, text);
    emit(conn->loop, line);
}

void cs_loop_set_current(struct loop *loop) {
    current = loop;
    cs_lws_log_set_sink(loop ? emit : NULL, loop);
}

bool chatsock_is_on_loop(void) {
    return current != NULL;
}

bool cs_loop_is_current(const struct loop *loop) {
    return current == loop;
}
