/* The memory of a request and its answer, and the bytes of answers, with the headers that all of them share. */
#include "conn/exchange.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

/* ---- answers: any thread ---- */

/* Headers added unless the application sets them: no content sniffing, framing, scripts or referrers. */
static const char *const precautions[] = {
    "x-content-type-options: nosniff",
    "referrer-policy: no-referrer",
    "content-security-policy: default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy: same-origin",
};

/* Added with TLS: browsers must use TLS for this host for a year. */
static const char only_tls[] = "strict-transport-security: max-age=31536000";

static const char *reason_of(unsigned status) {
    static const struct {
        unsigned status;
        const char *reason;
    } known[] = {
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {206, "Partial Content"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {304, "Not Modified"},
        {307, "Temporary Redirect"},
        {308, "Permanent Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {411, "Length Required"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {416, "Range Not Satisfiable"},
        {417, "Expectation Failed"},
        {422, "Unprocessable Content"},
        {426, "Upgrade Required"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
        {507, "Insufficient Storage"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].status == status)
            return known[i].reason;
    return "Status";
}

static bool has_header(const chatsock_response *response, const char *line) {
    size_t name = strcspn(line, ":") + 1;
    for (size_t i = 0; i < response->header_count; i++)
        if (!strncasecmp(response->headers[i], line, name))
            return true;
    return false;
}

/* Adds a header line. Skips a line that contains a line break, because it could begin another header. */
static char *put_line(char *to, const char *line) {
    size_t count = strlen(line);
    if (strpbrk(line, "\r\n"))
        return to;
    memcpy(to, line, count);
    memcpy(to + count, "\r\n", 2);
    return to + count + 2;
}

static char *put_lines(char *to, const chatsock_response *response, bool tls) {
    for (size_t i = 0; i < response->header_count; i++)
        to = put_line(to, response->headers[i]);
    for (size_t i = 0; i < sizeof precautions / sizeof *precautions; i++)
        if (!has_header(response, precautions[i]))
            to = put_line(to, precautions[i]);
    return tls && !has_header(response, only_tls) ? put_line(to, only_tls) : to;
}

static size_t room_for(const chatsock_response *response) {
    size_t room = 512; /* the precautions, the first line and the last ones */
    for (size_t i = 0; i < response->header_count; i++)
        room += strlen(response->headers[i]) + 2;
    return room;
}

static struct answer *allocate_answer(const chatsock_response *response, size_t size) {
    struct answer *answer = malloc(sizeof *answer + size);
    if (answer)
        *answer = (struct answer){.file = response->has_file ? response->file : -1,
                                  .file_start = response->file_start,
                                  .file_count = response->file_count};
    else if (response->has_file)
        close(response->file);
    return answer;
}

struct answer *cs_answer_new(const chatsock_server *server, const chatsock_response *response) {
    size_t room = room_for(response), body = response->has_file ? 0 : response->body_count;
    bool has_length = response->status != 204 && response->status != 304;
    struct answer *answer = allocate_answer(response, room + body);
    if (!answer)
        return NULL;
    char *to = (char *)answer->bytes, *end = to + room;
    to += snprintf(to, (size_t)(end - to), "HTTP/1.1 %u %s\r\n", response->status, reason_of(response->status));
    to = put_lines(to, response, server->config.certificate);
    if (has_length)
        to += snprintf(to, (size_t)(end - to), "content-length: %" PRIu64 "\r\n",
                       response->has_file ? response->file_count : body);
    else
        answer->file_count = 0;
    to += snprintf(to, (size_t)(end - to), CS_TAIL_CLOSE);
    answer->header = (size_t)(to - (char *)answer->bytes);
    answer->size = answer->header + body;
    if (body)
        memcpy(to, response->body, body);
    return answer;
}

struct answer *cs_answer_new_status(const chatsock_server *server, unsigned status, const char *header,
                                    const char *text) {
    const char *headers[] = {"content-type: text/plain; charset=utf-8", header, "upgrade: websocket"};
    return cs_answer_new(server, &(chatsock_response){.status = status,
                                                      .headers = headers,
                                                      .header_count = status == 426 ? 3
                                                                      : header      ? 2
                                                                                    : 1,
                                                      .body = (const uint8_t *)text,
                                                      .body_count = strlen(text)});
}

void cs_answer_free(struct answer *answer) {
    if (answer && answer->file >= 0)
        close(answer->file);
    free(answer);
}

void cs_answer_close_file(struct loop *loop, struct answer *answer) {
    if (answer->file >= 0)
        cs_file_close(loop, answer->file);
    answer->file = -1;
}

/* ---- requests ---- */

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

static size_t count_own(const struct exchange *exchange) {
    return exchange->header_count + (exchange->body ? exchange->announced : 0) +
           (exchange->answer ? exchange->answer->size : 0);
}

size_t cs_exchange_count_held(const struct conn *conn) {
    const struct exchange *exchange = conn->exchange;
    return exchange ? count_own(exchange) + cs_transfer_count_held(exchange->transfer) : 0;
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

void cs_exchange_drop_transfer(struct conn *conn) {
    struct transfer *transfer = conn->exchange->transfer;
    conn->exchange->transfer = NULL; /* first: its end is an event, and the event must find nothing half done */
    if (transfer)
        cs_transfer_end(transfer);
}

void cs_exchange_free(struct conn *conn) {
    if (!conn->exchange)
        return;
    cs_exchange_drop_transfer(conn);
    CS_COUNT(conn->loop, answer_bytes, -(int64_t)count_own(conn->exchange));
    free(conn->exchange->header);
    free(conn->exchange->body);
    cs_answer_free(conn->exchange->answer);
    free(conn->exchange);
    conn->exchange = NULL;
}
