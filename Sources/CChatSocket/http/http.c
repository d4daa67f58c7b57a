/*
 * Plain HTTP on the same port. A request becomes an event and is answered later, from any thread. Then the connection
 * waits for the next request, unless the client or the server ends it. libwebsockets never sees these requests: two
 * packets could make it loop for ever on a connection that is kept, and it knows few of the forms that clients send.
 *
 * Requests are read one at a time: what comes before the answer is sent waits at the carrier, so requests that are sent
 * together are answered in their order.
 */
#include "http/http.h"

#include <strings.h>

enum { PATH_BYTES = 4096, FIELD_BYTES = 4096 };

static struct cs_slice header_of(const struct conn *conn) {
    return (struct cs_slice){(const char *)conn->exchange->header, conn->exchange->header_count};
}

static void refuse(struct conn *conn, const struct refusal *refusal) {
    if (refusal->why != CHATSOCK_REFUSED_REASONS)
        CS_COUNT(conn->loop, refused[refusal->why], 1);
    cs_http_respond_status(conn, refusal->status, refusal->header, refusal->text);
}

/* A refusal of one request that says nothing about the connection: it is not counted. */
static struct refusal refuse_request(unsigned status, const char *text) {
    return (struct refusal){status, CHATSOCK_REFUSED_REASONS, NULL, text};
}

/* ---- handing up ---- */

static void deliver(struct conn *conn, const chatsock_request *request) {
    chatsock_server *server = conn->loop->server;
    cs_conn_set_state(conn, CS_REQUEST);
    conn->carrier->watch(conn, CS_WATCH_NOTHING);
    cs_wheel_add(conn, conn->since + server->config.request_ms);
    CS_COUNT(conn->loop, requests, 1);
    server->events.request(server->ctx, conn->id, request);
    cs_exchange_drop_header(conn);
}

/* Returns NULL also for a field that is empty. */
static const char *field(const struct conn *conn, const char *name, char *buffer, size_t size, bool *odd) {
    const char *value = cs_field_copy(header_of(conn), name, buffer, size, odd);
    return value && *value ? value : NULL;
}

/* The same for a field that only asks for a favour: one that cannot be read is as good as none. */
static const char *favour(const struct conn *conn, const char *name, char *buffer, size_t size) {
    bool odd = false;
    return field(conn, name, buffer, size, &odd);
}

/* Copies the path. Returns false when it is too long. */
static bool copy_path(struct cs_slice path, char *buffer, size_t size) {
    size_t count = path.count < size ? path.count : 0;
    memcpy(buffer, path.bytes, count);
    buffer[count] = 0;
    return count == path.count;
}

/* Returns the answer to a query that cannot be read, or NULL. */
static const struct refusal *refuse_query(unsigned status) {
    static const struct refusal long_one = {
        414, CHATSOCK_REFUSED_REASONS, NULL,
        "The query is too long: it may have 4,095 bytes, and each argument 1,023.\n"};
    static const struct refusal odd = {400, CHATSOCK_REFUSED_REASONS, NULL,
                                       "The query must have two hexadecimal digits after each %.\n"};
    return status == 414 ? &long_one : status ? &odd : NULL;
}

static void dispatch(struct conn *conn) {
    struct cs_slice header = header_of(conn);
    struct cs_target target = cs_target_parse(header.bytes, header.count);
    char address[CS_ADDRESS_BYTES], path[PATH_BYTES], query[FIELD_BYTES], authorization[FIELD_BYTES];
    char match[FIELD_BYTES], type[256], accept[FIELD_BYTES], key[256], origin[512], forwarded[FIELD_BYTES], method[64];
    char coding[256], range[256], content_range[256];
    bool odd = !copy_path(target.path, path, sizeof path);
    cs_address_format(&conn->address, address);
    const struct refusal *refused = refuse_query(cs_query_copy(target.query, query, sizeof query));
    chatsock_request request = {
        .address = address,
        .method = conn->exchange->method,
        .path = path,
        .query = *query ? query : NULL,
        .authorization = field(conn, "authorization", authorization, sizeof authorization, &odd),
        .if_none_match = field(conn, "if-none-match", match, sizeof match, &odd),
        .content_type = field(conn, "content-type", type, sizeof type, &odd),
        .accept = field(conn, "accept", accept, sizeof accept, &odd),
        .accept_encoding = favour(conn, "accept-encoding", coding, sizeof coding),
        .idempotency_key = field(conn, "idempotency-key", key, sizeof key, &odd),
        .origin = field(conn, "origin", origin, sizeof origin, &odd),
        .forwarded_for = field(conn, "x-forwarded-for", forwarded, sizeof forwarded, &odd),
        .range = favour(conn, "range", range, sizeof range),
        .content_range = field(conn, "content-range", content_range, sizeof content_range, &odd),
        .asked_method = field(conn, "access-control-request-method", method, sizeof method, &odd),
        .body = conn->exchange->body,
        .body_count = conn->exchange->have,
        .body_to_come = conn->exchange->unread,
    };
    if (refused)
        refuse(conn, refused);
    else if (odd)
        cs_http_respond_status(conn, 400, NULL, "The path or a header is too long, or is not UTF-8.\n");
    else
        deliver(conn, &request);
}

/* ---- judging ---- */

static const char *method_of(struct cs_slice header) {
    static const char *const methods[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        size_t count = strlen(methods[i]);
        if (header.count > count && !memcmp(header.bytes, methods[i], count) && header.bytes[count] == ' ')
            return methods[i];
    }
    return NULL;
}

/* True for a method that is no question about the server's health. */
static bool is_change(const char *method) {
    return !strcmp(method, "POST") || !strcmp(method, "PUT") || !strcmp(method, "DELETE");
}

static struct refusal check_client(struct conn *conn, const struct cs_target *target) {
    char list[CS_FORWARDED_BYTES], path[256];
    bool odd = false;
    const char *method = conn->exchange->method;
    const char *forwarded = cs_field_copy(header_of(conn), "x-forwarded-for", list, sizeof list, &odd);
    struct refusal refusal = cs_conn_identify(conn, forwarded ? list : NULL, odd);
    if (refusal.status)
        return refusal;
    bool asks = method && !is_change(method) && copy_path(target->path, path, sizeof path);
    return cs_conn_check_place(conn, asks ? path : NULL);
}

/* A page of a foreign origin may read why it is refused, and that alone. */
static struct refusal check_origin(struct conn *conn, const struct cs_target *target) {
    static const char readable[] = "access-control-allow-origin: *";
    char from[512], name[300];
    bool odd = false, unreadable = false;
    const char *origin = cs_field_copy(header_of(conn), "origin", from, sizeof from, &odd);
    const char *host = cs_field_copy(header_of(conn), "host", name, sizeof name, &unreadable);
    struct refusal refusal = cs_target_check(target, unreadable ? "" : host);
    if (refusal.status == 400)
        return refusal;
    if (!host && target->absolute && target->authority.count < sizeof name) {
        memcpy(name, target->authority.bytes, target->authority.count);
        name[target->authority.count] = 0;
        host = name;
    }
    const char *foreign = cs_origin_check(conn, odd ? "" : origin, unreadable ? "" : host);
    if (!foreign)
        return (struct refusal){0};
    cs_conn_log_origin(conn, odd || !origin ? "" : origin, foreign);
    return (struct refusal){403, CHATSOCK_REFUSED_ORIGIN, readable, foreign};
}

/* True when the comma-separated value of the field contains `token`. */
static bool field_contains(const struct conn *conn, const char *name, const char *token) {
    char list[512];
    bool odd = false;
    const char *value = cs_field_copy(header_of(conn), name, list, sizeof list, &odd);
    return value && cs_token_list_contains(value, token);
}

/* The body of a PUT is not kept in memory. */
static bool is_put(const struct conn *conn) {
    return conn->exchange->method && !strcmp(conn->exchange->method, "PUT");
}

enum length { LENGTH_OK, LENGTH_MISSING, LENGTH_ODD };

/* Reads the announced length of the body. */
static enum length body_length(const struct conn *conn, size_t *length) {
    char text[24];
    bool odd = false;
    const char *value = cs_field_copy(header_of(conn), "content-length", text, sizeof text, &odd);
    *length = 0;
    if (!value)
        return odd ? LENGTH_ODD : LENGTH_MISSING;
    if (!*value || strspn(value, "0123456789") != strlen(value) || strlen(value) > 18)
        return LENGTH_ODD;
    *length = strtoull(value, NULL, 10);
    return LENGTH_OK;
}

static struct refusal check_body(const struct conn *conn, size_t *length, bool *expects) {
    char text[64];
    bool odd = false;
    if (cs_field_copy(header_of(conn), "transfer-encoding", text, sizeof text, &odd) || odd)
        return refuse_request(411, "Send the body with Content-Length.\n");
    enum length found = body_length(conn, length);
    if (found == LENGTH_ODD)
        return refuse_request(400, "Content-Length must be a number.\n");
    if (found == LENGTH_MISSING && is_put(conn))
        return refuse_request(411, "Send the body with Content-Length.\n");
    if (*length > conn->loop->server->config.max_body_bytes && !is_put(conn))
        return refuse_request(413, "The body is too large.\n");
    const char *expected = cs_field_copy(header_of(conn), "expect", text, sizeof text, &odd);
    *expects = expected && !conn->exchange->old;
    if (*expects && strcasecmp(expected, "100-continue") != 0)
        return refuse_request(417, "The only expectation here is 100-continue.\n");
    return (struct refusal){0};
}

static struct refusal check_request(struct conn *conn, size_t *length, bool *expects) {
    struct cs_slice header = header_of(conn);
    struct cs_target target = cs_target_parse(header.bytes, header.count);
    struct refusal refusal = check_client(conn, &target);
    if (!refusal.status)
        refusal = check_origin(conn, &target);
    if (!refusal.status && !conn->exchange->method)
        refusal = (struct refusal){405, CHATSOCK_REFUSED_HANDSHAKE, CS_ALLOW, CS_TEXT_METHODS};
    if (!refusal.status)
        refusal = cs_target_check(&target, NULL);
    return refusal.status ? refusal : check_body(conn, length, expects);
}

/* ---- reading ---- */

static void await_body(struct conn *conn, size_t length, bool expects) {
    conn->exchange->announced = length;
    cs_conn_set_state(conn, CS_BODY);
    cs_wheel_add(conn, conn->since + conn->loop->server->config.request_ms);
    if (expects && !cs_http_send_continue(conn))
        cs_conn_kill(conn);
    else
        conn->carrier->watch(conn, CS_WATCH_BODY);
}

void cs_http_handle(struct conn *conn, struct cs_slice header, bool old) {
    size_t length = 0;
    bool expects = false;
    if (!(conn->exchange = cs_exchange_new(header))) {
        cs_conn_kill(conn);
        return;
    }
    CS_CHARGE(conn->loop, answer_bytes, header.count);
    conn->exchange->method = method_of(header);
    conn->exchange->old = old;
    conn->exchange->may_stay =
        old ? field_contains(conn, "connection", "keep-alive") : !field_contains(conn, "connection", "close");
    struct refusal refusal = check_request(conn, &length, &expects);
    if (is_put(conn)) {
        conn->exchange->unread = length;
        conn->exchange->expects = expects;
        conn->exchange->receivable = true;
    }
    if (refusal.status)
        refuse(conn, &refusal);
    else if (length && !is_put(conn))
        await_body(conn, length, expects);
    else
        dispatch(conn);
}

static bool has_buffer(struct conn *conn) {
    struct exchange *exchange = conn->exchange;
    if (exchange->body)
        return true;
    if (!(exchange->body = malloc(exchange->announced)))
        return false;
    CS_CHARGE(conn->loop, answer_bytes, exchange->announced);
    cs_budget_raise_largest(conn, cs_exchange_count_held(conn));
    return true;
}

void cs_http_read(struct conn *conn) {
    struct exchange *exchange = conn->exchange;
    uint8_t first;
    if (conn->state == CS_RECEIVING) {
        cs_upload_read(conn);
        return;
    }
    if (!exchange->have) { /* the buffer is made when the body begins to come */
        ssize_t count = conn->carrier->read(conn, &first, 1);
        if (count == 0)
            return;
        if (count < 0 || !has_buffer(conn)) {
            cs_conn_kill(conn);
            return;
        }
        exchange->body[exchange->have++] = first;
    }
    while (exchange->have < exchange->announced) {
        size_t missing = exchange->announced - exchange->have;
        ssize_t count = conn->carrier->read(conn, exchange->body + exchange->have, missing);
        if (count == 0)
            return;
        if (count < 0) {
            cs_conn_kill(conn);
            return;
        }
        exchange->have += (size_t)count;
    }
    dispatch(conn);
}
