/* A loop's connections: their numbers, their beginning and their end. */
#include "address.h"
#include "http.h"

#include <unistd.h>

/* ---- beginning ---- */

static struct conn *conn_new(struct loop *loop, int fd, const struct in6_addr *address, enum cs_place_kind kind) {
    struct conn *conn = calloc(1, sizeof *conn);
    if (!conn)
        return NULL;
    conn->loop = loop;
    conn->fd = conn->wire = fd;
    conn->address = *address;
    conn->spare = kind == CS_SPARE;
    conn->queue_end = &conn->queue;
    if (!cs_slot_take(conn)) {
        free(conn);
        return NULL;
    }
    conn->proxy_header_due = loop->server->config.proxy_protocol && cs_is_trusted(loop->server, address);
    cs_enter(conn, CS_HEADER);
    return conn;
}

uint64_t cs_adopt(struct loop *loop, int fd, const struct in6_addr *address, enum cs_place_kind kind) {
    struct conn *conn = loop->stop_at ? NULL : conn_new(loop, fd, address, kind);
    if (!conn) {
        close(fd);
        cs_connection_left(loop, address, kind);
        return 0;
    }
    CS_COUNT(loop, accepted, 1);
    CS_COUNT(loop, open, 1);
    cs_wheel_put(conn, conn->since + loop->server->config.header_ms);
    if (!(loop->server->config.certificate && !conn->proxy_header_due ? cs_tls_bridge_open(conn) : cs_preflight_open(conn))) {
        close(fd);
        cs_conn_free(conn);
        return 0;
    }
    return conn->id;
}

static bool is_vital(const chatsock_config *config, const char *path) {
    for (size_t i = 0; i < config->vital_count; i++)
        if (!strcmp(config->vital_paths[i], path))
            return true;
    return false;
}

struct refusal cs_refuse_spare(const struct conn *conn, const char *path) {
    if (!conn->spare || (path && is_vital(&conn->loop->server->config, path)))
        return (struct refusal){0};
    return (struct refusal){503, CHATSOCK_REFUSED_FULL, "retry-after: 1", CS_TEXT_FULL};
}

struct refusal cs_readdress(struct conn *conn, const struct in6_addr *address) {
    switch (cs_address_enter(conn->loop->server, address, uv_now(&conn->loop->uv))) {
    case CS_TOO_MANY:
        return (struct refusal){429, CHATSOCK_REFUSED_ADDRESS, "retry-after: 1", CS_TEXT_TOO_MANY};
    case CS_TOO_FAST:
        return (struct refusal){429, CHATSOCK_REFUSED_RATE, "retry-after: 1", CS_TEXT_TOO_FAST};
    case CS_WELCOME:
        break;
    }
    cs_address_left(conn->loop->server, &conn->address);
    conn->address = *address;
    return (struct refusal){0};
}

struct refusal cs_identify(struct conn *conn) {
    const chatsock_server *server = conn->loop->server;
    char list[CS_FORWARDED_BYTES];
    bool odd = false;
    if (conn->identified || !cs_is_trusted(server, &conn->address))
        return (struct refusal){0};
    struct in6_addr address = conn->address;
    const char *said = cs_header(conn->wsi, WSI_TOKEN_X_FORWARDED_FOR, list, sizeof list, &odd);
    odd |= cs_header_is_empty(conn->wsi, WSI_TOKEN_X_FORWARDED_FOR);
    if (odd || (said && !cs_forwarded_for(server, list, &address))) /* the client must not be taken for the proxy */
        return (struct refusal){400, CHATSOCK_REFUSED_PROXY, NULL,
                                "X-Forwarded-For must be a list of addresses, at most 4,095 bytes long.\n"};
    conn->identified = true;
    return memcmp(&address, &conn->address, sizeof address) ? cs_readdress(conn, &address) : (struct refusal){0};
}

void cs_hand_over(struct conn *conn) {
    struct loop *loop = conn->loop;
    uint64_t id = conn->id;
    conn->abort = NULL;
    lws_adopt_desc_t adoption = {
        .vh = loop->vhost,
        .type = LWS_ADOPT_HTTP | LWS_ADOPT_SOCKET,
        .fd.sockfd = conn->fd,
        .opaque = conn,
    };
    /* On failure it has closed the descriptor. The only reason is that memory ran out. It may or may not call back with
       `conn`, so the struct stays until the loop ends. */
    if (!lws_adopt_descriptor_vhost_via_info(&adoption) && cs_find(loop, id))
        conn->state = CS_GONE;
}

/* ---- ending ---- */

static chatsock_closing kind_of(uint16_t code) {
    if (code == 1000 || code == 1001 || code == 1005)
        return CHATSOCK_CLOSED_NORMAL;
    if (code == 1006)
        return CHATSOCK_CLOSED_BROKEN;
    if (code >= 1002 && code <= 1010)
        return CHATSOCK_CLOSED_PROTOCOL;
    if (code == 4002)
        return CHATSOCK_CLOSED_SLOW;
    return code == 4000 ? CHATSOCK_CLOSED_SILENT : CHATSOCK_CLOSED_OTHER;
}

/* Stops all sending and receiving, except what is queued. */
static void silence(struct conn *conn) {
    cs_topic_detach_all(conn);
    cs_partial_free(conn);
    conn->wants_behind = false;
}

void cs_close(struct conn *conn, uint16_t code, const char *reason) {
    uint8_t payload[2 + CS_REASON_BYTES] = {(uint8_t)(code >> 8), (uint8_t)code};
    size_t count = strnlen(reason, CS_REASON_BYTES);
    if (conn->state != CS_OPEN)
        return;
    memcpy(payload + 2, reason, count);
    chatsock_frame *frame = cs_frame_new(0x88, payload, 2 + count);
    silence(conn);
    conn->code = code;
    cs_enter(conn, CS_CLOSING);
    if (!frame) {
        cs_kill(conn);
        return;
    }
    cs_queue(conn, frame);
    chatsock_frame_release(frame);
    cs_wheel_put(conn, conn->since + conn->loop->server->config.close_ms);
}

void cs_conn_gone(struct conn *conn, uint16_t code) {
    struct loop *loop = conn->loop;
    conn->state = CS_GONE;
    if (conn->waiting)
        CS_COUNT(loop, stalled, -1);
    conn->waiting = false;
    silence(conn);
    cs_queue_free(conn);
    cs_cut_settled(conn);
    cs_exchange_free(conn);
    if (!conn->told)
        return;
    conn->told = false;
    if (!conn->code)
        conn->code = code;
    CS_COUNT(loop, closed[kind_of(conn->code)], 1);
    if (conn->echo)
        return;
    loop->told = true;
    loop->server->events.closed(loop->server->ctx, conn->id, conn->code);
}

void cs_connection_left(struct loop *loop, const struct in6_addr *address, enum cs_place_kind kind) {
    cs_address_left(loop->server, address);
    atomic_fetch_sub_explicit(&loop->handed, 1, memory_order_relaxed);
    atomic_fetch_sub(&loop->server->total_connections, kind == CS_ORDINARY);
}

void cs_conn_free(struct conn *conn) {
    struct loop *loop = conn->loop;
    cs_conn_gone(conn, 1006);
    cs_wheel_remove(conn);
    cs_not_late(conn);
    cs_slot_give(conn);
    CS_COUNT(loop, open, -1);
    if (conn->bridge)
        cs_tls_bridge_part(conn);
    else
        cs_connection_left(loop, &conn->address, conn->spare ? CS_SPARE : CS_ORDINARY);
    free(conn);
}
