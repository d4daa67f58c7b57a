/* The memory of a request and its answer. */
#include "http.h"

static void on_writer_closed(uv_handle_t *handle) {
    free(handle->data);
}

size_t cs_exchange_held(const struct conn *conn) {
    const struct exchange *exchange = conn->exchange;
    if (!exchange)
        return 0;
    return (exchange->body ? exchange->announced : 0) + (exchange->answer ? exchange->answer->size : 0);
}

void cs_exchange_free(struct conn *conn) {
    if (!conn->exchange)
        return;
    struct response_writer *writer = conn->exchange->writer;
    if (writer) {
        uv_poll_stop(&writer->poll);
        uv_close((uv_handle_t *)&writer->poll, on_writer_closed);
    }
    CS_COUNT(conn->loop, answer_bytes, -(int64_t)cs_exchange_held(conn));
    free(conn->exchange->body);
    cs_answer_free(conn->exchange->answer);
    free(conn->exchange);
    conn->exchange = NULL;
}
