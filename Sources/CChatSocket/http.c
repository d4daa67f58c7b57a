/*
 * Plain HTTP on the same port. A request becomes an event, is answered later from any thread, and the connection ends.
 * It always ends: on a connection that is kept, two packets can make libwebsockets loop for ever.
 *
 * libwebsockets reads nothing between a request and the end of its answer, but goes on polling for input: one more
 * byte, or the peer's end, would wake its loop for ever. So it no longer polls once the request is there, and
 * response.c writes the answer.
 */
#include "http.h"

static enum lws_token_indexes path_token(const char *method) {
    if (!strcmp(method, "POST"))
        return WSI_TOKEN_POST_URI;
    return strcmp(method, "HEAD") ? WSI_TOKEN_GET_URI : WSI_TOKEN_HEAD_URI;
}

/* Gives the request to the application. Further input stays in the socket until the answer. */
static void hand_up(struct conn *conn, const chatsock_request *request) {
    chatsock_server *server = conn->loop->server;
    cs_enter(conn, CS_REQUEST);
    lws_rx_flow_control(conn->wsi, 0);
    cs_wheel_put(conn, conn->since + server->config.request_ms);
    CS_COUNT(conn->loop, requests, 1);
    server->events.request(server->ctx, conn->id, request);
}

static int present(struct conn *conn) {
    struct lws *wsi = conn->wsi;
    char address[CS_ADDRESS_BYTES], path[4096], query[4096], authorization[4096], match[512], type[256], accept[512];
    char key[256], origin[512], forwarded[512];
    bool odd = false, too_long = false;
    cs_address_text(&conn->address, address);
    chatsock_request request = {
        .address = address,
        .method = conn->exchange->method,
        .path = cs_header(wsi, path_token(conn->exchange->method), path, sizeof path, &odd),
        .query = cs_query(wsi, query, sizeof query, &too_long),
        .authorization = cs_header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, authorization, sizeof authorization, &odd),
        .if_none_match = cs_header(wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH, match, sizeof match, &odd),
        .content_type = cs_header(wsi, WSI_TOKEN_HTTP_CONTENT_TYPE, type, sizeof type, &odd),
        .accept = cs_header(wsi, WSI_TOKEN_HTTP_ACCEPT, accept, sizeof accept, &odd),
        .idempotency_key = cs_custom_header(wsi, "idempotency-key:", key, sizeof key, &odd),
        .origin = cs_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin, &odd),
        .forwarded_for = cs_header(wsi, WSI_TOKEN_X_FORWARDED_FOR, forwarded, sizeof forwarded, &odd),
        .body = conn->exchange->body,
        .body_count = conn->exchange->have,
    };
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);
    if (too_long) {
        cs_http_refuse(conn, 414, NULL, "The query is too long: it may have 4,095 bytes, and each argument 1,023.\n");
        return -1;
    }
    if (odd || !request.path) {
        cs_http_refuse(conn, 400, NULL, "The path or a header is too long, or is not UTF-8.\n");
        return -1;
    }
    hand_up(conn, &request);
    return 0;
}

/* Reads the announced length of the body. Returns false when it is not a number. */
static bool body_length(struct lws *wsi, size_t *length) {
    char text[24];
    bool odd = false;
    const char *value = cs_header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, text, sizeof text, &odd);
    *length = 0;
    if (!value)
        return !odd;
    if (strspn(value, "0123456789") != strlen(value) || strlen(value) > 18)
        return false;
    *length = strtoull(value, NULL, 10);
    return true;
}

static const char *method_of(struct lws *wsi) {
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0)
        return "GET";
    if (lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0)
        return "HEAD";
    return lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) > 0 ? "POST" : NULL;
}

static struct refusal judge_path(struct conn *conn, const char *method) {
    char path[256];
    bool odd = false;
    bool asks = strcmp(method, "POST");
    return cs_refuse_but_vital(conn, asks ? cs_header(conn->wsi, path_token(method), path, sizeof path, &odd) : NULL);
}

/* Answers before the body has come. */
static int refuse_body(struct conn *conn, unsigned status, const char *text) {
    cs_enter(conn, CS_BODY);
    cs_http_answer_status(conn, status, text);
    return 0;
}

int cs_http_request(struct conn *conn) {
    const char *method = method_of(conn->wsi);
    size_t length;
    if (conn->state != CS_HEADER)
        return -1; /* a second request on the connection */
    if (!method) {
        cs_http_refuse(conn, 405, CS_ALLOW, "The methods here are GET, HEAD and POST.\n");
        return -1;
    }
    struct refusal refusal = cs_identify(conn);
    if (!refusal.status)
        refusal = judge_path(conn, method);
    if (refusal.status) {
        CS_COUNT(conn->loop, refused[refusal.why], 1);
        cs_http_refuse(conn, refusal.status, refusal.header, refusal.text);
        return -1;
    }
    if (!(conn->exchange = calloc(1, sizeof *conn->exchange)))
        return -1;
    conn->exchange->method = method;
    const char *foreign = cs_objection_to_origin(conn);
    if (foreign) {
        CS_COUNT(conn->loop, refused[CHATSOCK_REFUSED_ORIGIN], 1);
        return refuse_body(conn, 403, foreign);
    }
    if (lws_hdr_total_length(conn->wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0)
        return refuse_body(conn, 411, "Send the body with Content-Length.\n");
    if (!body_length(conn->wsi, &length))
        return refuse_body(conn, 400, "Content-Length must be a number.\n");
    if (length > conn->loop->server->config.max_body_bytes)
        return refuse_body(conn, 413, "The body is too large.\n");
    if (!length)
        return present(conn);
    conn->exchange->announced = length;
    cs_enter(conn, CS_BODY);
    cs_wheel_put(conn, conn->since + conn->loop->server->config.request_ms);
    return 0;
}

int cs_http_body(struct conn *conn, const void *in, size_t count) {
    struct exchange *exchange = conn->exchange;
    if (conn->state == CS_RESPONDING || !count)
        return 0; /* lingering, or an empty body that was announced */
    if (conn->state != CS_BODY || count > exchange->announced - exchange->have)
        return -1;
    if (!exchange->body) {
        if (!(exchange->body = malloc(exchange->announced)))
            return -1;
        CS_TAKE(conn->loop, answer_bytes, exchange->announced);
    }
    memcpy(exchange->body + exchange->have, in, count);
    exchange->have += count;
    return 0;
}

int cs_http_body_end(struct conn *conn) {
    if (conn->state == CS_REQUEST && !conn->exchange->announced)
        return 0; /* an empty body: the application got the request with its header */
    return conn->state == CS_BODY ? present(conn) : -1; /* -1: it was refused, or bytes follow it */
}
