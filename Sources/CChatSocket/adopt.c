/* A socket becomes a connection of a loop. */
#include "server.h"

#include <unistd.h>

static struct conn *conn_new(struct loop *loop, int fd, const struct in6_addr *address, enum cs_place_kind kind) {
    const chatsock_server *server = loop->server;
    struct conn *conn = calloc(1, sizeof *conn);
    if (!conn)
        return NULL;
    conn->loop = loop;
    conn->fd = conn->wire = fd;
    conn->address = conn->base = *address;
    conn->spare = kind == CS_SPARE;
    conn->queue_end = &conn->queue;
    if (!cs_slot_assign(conn)) {
        free(conn);
        return NULL;
    }
    conn->proxy_header_due = server->config.proxy_protocol && cs_networks_contain(&server->trusted, address);
    cs_conn_set_state(conn, CS_HEADER);
    return conn;
}

uint64_t cs_conn_adopt(struct loop *loop, int fd, const struct in6_addr *address, enum cs_place_kind kind) {
    struct conn *conn = loop->stop_at ? NULL : conn_new(loop, fd, address, kind);
    if (!conn) {
        close(fd);
        cs_place_release(loop, address, kind);
        return 0;
    }
    CS_COUNT(loop, accepted, 1);
    CS_COUNT(loop, open, 1);
    cs_wheel_add(conn, conn->since + loop->server->config.header_ms);
    bool begins_with_tls = loop->server->config.certificate && !conn->proxy_header_due;
    if (!(begins_with_tls ? cs_tls_bridge_open : cs_preflight_open)(conn)) {
        close(fd);
        cs_conn_free(conn);
        return 0;
    }
    return conn->id;
}
