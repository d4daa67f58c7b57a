/* The memory of a request and its answer. */
#include "http.h"

struct exchange *cs_exchange_new(struct cs_slice header) {
    struct exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange || !(exchange->header = malloc(header.count))) {
        free(exchange);
        return NULL;
    }
    memcpy(exchange->header, header.bytes, header.count);
    exchange->header_count = header.count;
    return exchange;
}

size_t cs_exchange_count_held(const struct conn *conn) {
    const struct exchange *exchange = conn->exchange;
    if (!exchange)
        return 0;
    return exchange->header_count + (exchange->body ? exchange->announced : 0) +
           (exchange->answer ? exchange->answer->size : 0);
}

void cs_exchange_drop_header(struct conn *conn) {
    struct exchange *exchange = conn->exchange;
    CS_COUNT(conn->loop, answer_bytes, -(int64_t)exchange->header_count);
    free(exchange->header);
    exchange->header = NULL;
    exchange->header_count = 0;
}

void cs_exchange_drop_answer(struct conn *conn) {
    struct exchange *exchange = conn->exchange;
    CS_COUNT(conn->loop, answer_bytes, -(int64_t)(exchange->answer ? exchange->answer->size : 0));
    cs_answer_free(exchange->answer);
    exchange->answer = NULL;
}

void cs_exchange_free(struct conn *conn) {
    if (!conn->exchange)
        return;
    CS_COUNT(conn->loop, answer_bytes, -(int64_t)cs_exchange_count_held(conn));
    free(conn->exchange->header);
    free(conn->exchange->body);
    cs_answer_free(conn->exchange->answer);
    free(conn->exchange);
    conn->exchange = NULL;
}
