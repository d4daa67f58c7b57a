/* Decides which requests may open a WebSocket. libwebsockets itself accepts nearly anything that says Upgrade. */
#include "http/http.h"

#include <stdio.h>
#include <strings.h>

static const struct refusal acceptable = {0};

static struct refusal refuse_bad(const char *text) {
    return (struct refusal){400, CHATSOCK_REFUSED_HANDSHAKE, NULL, text};
}

static bool is_key(const char *key) { /* 16 bytes in base64 */
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return strlen(key) == 24 && strspn(key, digits) == 22 && !strcmp(key + 22, "==");
}

static bool is_path(const chatsock_server *server, const char *path) {
    const char *echo = server->config.echo_path;
    return !strcmp(path, "/") || !strcmp(path, "/ws") || (echo && !strcmp(path, echo));
}

static struct refusal check_request(struct lws *wsi) {
    char buffer[300];
    bool odd = false;
    const char *value;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        return (struct refusal){405, CHATSOCK_REFUSED_HANDSHAKE, "allow: GET", "A WebSocket opens with GET.\n"};
    value = cs_lws_header_copy(wsi, WSI_TOKEN_HTTP, buffer, sizeof buffer, &odd);
    if (!value || strcmp(value, "HTTP/1.1"))
        return refuse_bad("A WebSocket needs HTTP/1.1.\n");
    value = cs_lws_header_copy(wsi, WSI_TOKEN_HOST, buffer, sizeof buffer, &odd);
    if (!value || strpbrk(value, ", \t"))
        return refuse_bad("There must be one Host header.\n");
    value = cs_lws_header_copy(wsi, WSI_TOKEN_UPGRADE, buffer, sizeof buffer, &odd);
    if (!value || strcasecmp(value, "websocket"))
        return refuse_bad("The only upgrade here is websocket.\n");
    value = cs_lws_header_copy(wsi, WSI_TOKEN_CONNECTION, buffer, 128, &odd);
    if (!value || !cs_token_list_contains(value, "upgrade"))
        return refuse_bad("The Connection header does not say upgrade.\n");
    value = cs_lws_header_copy(wsi, WSI_TOKEN_VERSION, buffer, sizeof buffer, &odd);
    if (!value || strcmp(value, "13"))
        return (struct refusal){426, CHATSOCK_REFUSED_HANDSHAKE, "sec-websocket-version: 13",
                                "This server speaks WebSocket version 13.\n"};
    value = cs_lws_header_copy(wsi, WSI_TOKEN_KEY, buffer, sizeof buffer, &odd);
    return value && is_key(value) ? acceptable
                                  : refuse_bad("Sec-WebSocket-Key must be one value: 16 bytes in base64.\n");
}

static struct refusal check_target(struct conn *conn) {
    const chatsock_server *server = conn->loop->server;
    char buffer[512];
    bool odd = false;
    const char *value = cs_lws_header_copy(conn->wsi, WSI_TOKEN_PROTOCOL, buffer, 127, &odd);
    if (odd || (value && !cs_token_list_contains(value, CS_PROTOCOL)))
        return refuse_bad("The only subprotocol here is " CS_PROTOCOL ".\n");
    value = cs_lws_header_copy(conn->wsi, WSI_TOKEN_GET_URI, buffer, sizeof buffer, &odd);
    if (!value || !is_path(server, value))
        return (struct refusal){404, CHATSOCK_REFUSED_PATH, NULL, "There is no WebSocket at this path. Try /ws.\n"};
    char from[512], name[300];
    const char *origin = cs_lws_header_copy(conn->wsi, WSI_TOKEN_ORIGIN, from, sizeof from, &odd);
    const char *host = cs_lws_header_copy(conn->wsi, WSI_TOKEN_HOST, name, sizeof name, &odd);
    bool empty =
        cs_lws_header_is_empty(conn->wsi, WSI_TOKEN_ORIGIN) || cs_lws_header_is_empty(conn->wsi, WSI_TOKEN_HOST);
    const char *foreign = cs_origin_check(conn, odd || empty ? "" : origin, host);
    if (foreign)
        cs_conn_log_origin(conn, odd || !origin ? "" : origin, foreign);
    return foreign ? (struct refusal){403, CHATSOCK_REFUSED_ORIGIN, NULL, foreign} : acceptable;
}

static struct refusal identify(struct conn *conn) {
    char list[CS_FORWARDED_BYTES];
    bool odd = false;
    const char *forwarded = cs_lws_header_copy(conn->wsi, WSI_TOKEN_X_FORWARDED_FOR, list, sizeof list, &odd);
    odd |= cs_lws_header_is_empty(conn->wsi, WSI_TOKEN_X_FORWARDED_FOR);
    return cs_conn_identify(conn, forwarded ? list : NULL, odd);
}

int cs_conn_confirm_upgrade(struct conn *conn, bool may_answer) {
    /* On a second request after an unknown upgrade, libwebsockets has freed the headers: read none of them. */
    if (lws_hdr_total_length(conn->wsi, WSI_TOKEN_UPGRADE) <= 0 || conn->state != CS_HEADER)
        return -1;
    struct refusal refusal = identify(conn);
    if (!refusal.status)
        refusal = cs_conn_check_place(conn, NULL);
    if (!refusal.status)
        refusal = check_request(conn->wsi);
    if (!refusal.status)
        refusal = check_target(conn);
    if (!refusal.status)
        return 0;
    if (may_answer) {
        CS_COUNT(conn->loop, refused[refusal.why], 1);
        cs_http_refuse(conn, refusal.status, refusal.header, refusal.text);
    }
    return -1;
}

void cs_conn_open(struct conn *conn) {
    chatsock_server *server = conn->loop->server;
    struct lws *wsi = conn->wsi;
    char address[CS_ADDRESS_BYTES], path[512], query[512], origin[512], protocol[128], forwarded[512];
    char authorization[4096];
    bool odd = false;
    cs_conn_set_state(conn, CS_OPEN);
    conn->opened_reported = true;
    conn->received_at = conn->since;
    cs_wheel_add(conn, conn->received_at + server->config.heartbeat_ms);
    cs_address_format(&conn->address, address);
    chatsock_peer peer = {
        .address = address,
        .path = cs_lws_header_copy(wsi, WSI_TOKEN_GET_URI, path, sizeof path, &odd),
        .query = cs_lws_header_copy(wsi, WSI_TOKEN_HTTP_URI_ARGS, query, sizeof query, &odd),
        .origin = cs_lws_header_copy(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin, &odd),
        .authorization =
            cs_lws_header_copy(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, authorization, sizeof authorization, &odd),
        .subprotocol =
            cs_lws_header_copy(wsi, WSI_TOKEN_PROTOCOL, protocol, sizeof protocol, &odd) ? CS_PROTOCOL : NULL,
        .forwarded_for = cs_lws_header_copy(wsi, WSI_TOKEN_X_FORWARDED_FOR, forwarded, sizeof forwarded, &odd),
    };
    if (!peer.path)
        peer.path = "/";
    conn->echo = server->config.echo_path && !strcmp(peer.path, server->config.echo_path);
    if (!conn->echo)
        server->events.opened(server->ctx, conn->id, &peer);
}
