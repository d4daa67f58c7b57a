/* The peer of a connection: its address, the place that it takes among all connections, and what that lets it ask. */
#include "conn/loop.h"

void cs_place_release(struct loop *loop, const struct in6_addr *address, enum cs_place_kind kind) {
    cs_addresses_remove_connection(loop->server->addresses, address);
    atomic_fetch_sub_explicit(&loop->assigned, 1, memory_order_relaxed);
    atomic_fetch_sub(&loop->server->total_connections, kind == CS_ORDINARY);
}

static bool is_vital(const chatsock_config *config, const char *path) {
    for (size_t i = 0; i < config->vital_count; i++)
        if (!strcmp(config->vital_paths[i], path))
            return true;
    return false;
}

struct refusal cs_conn_check_place(const struct conn *conn, const char *path) {
    const chatsock_server *server = conn->loop->server;
    if (path && is_vital(&server->config, path))
        return (struct refusal){0};
    if (conn->unnamed && cs_networks_contain(&server->trusted, &conn->address))
        return (struct refusal){400, CHATSOCK_REFUSED_PROXY, NULL,
                                "A PROXY header must name the client's address, but for checks of health.\n"};
    if (conn->spare)
        return (struct refusal){503, CHATSOCK_REFUSED_FULL, "retry-after: 1", CS_TEXT_FULL};
    return (struct refusal){0};
}

struct refusal cs_conn_set_address(struct conn *conn, const struct in6_addr *address) {
    switch (cs_addresses_admit_connection(conn->loop->server->addresses, address, uv_now(&conn->loop->uv))) {
    case CS_TOO_MANY:
        return (struct refusal){429, CHATSOCK_REFUSED_ADDRESS, "retry-after: 1", CS_TEXT_TOO_MANY};
    case CS_TOO_FAST:
        return (struct refusal){429, CHATSOCK_REFUSED_RATE, "retry-after: 1", CS_TEXT_TOO_FAST};
    case CS_ADMITTED:
        break;
    }
    cs_addresses_remove_connection(conn->loop->server->addresses, &conn->address);
    conn->address = *address;
    return (struct refusal){0};
}

/* A further request on a connection costs its address what a connection costs. */
static struct refusal charge(struct conn *conn) {
    if (cs_addresses_admit_request(conn->loop->server->addresses, &conn->address, uv_now(&conn->loop->uv)) ==
        CS_ADMITTED)
        return (struct refusal){0};
    return (struct refusal){429, CHATSOCK_REFUSED_RATE, "retry-after: 1", CS_TEXT_TOO_FAST};
}

struct refusal cs_conn_identify(struct conn *conn, char *forwarded, bool odd) {
    const struct cs_networks *trusted = &conn->loop->server->trusted;
    if (conn->identified)
        return (struct refusal){0};
    struct in6_addr address = conn->base;
    if (cs_networks_contain(trusted, &conn->base)) { /* the client must not be taken for the proxy */
        odd |= forwarded && (!*forwarded || !cs_forwarded_for_resolve(trusted, forwarded, &address));
        if (odd)
            return (struct refusal){400, CHATSOCK_REFUSED_PROXY, NULL,
                                    "X-Forwarded-For must be a list of addresses, at most 4,095 bytes long.\n"};
    }
    conn->identified = true;
    if (memcmp(&address, &conn->address, sizeof address) != 0)
        return cs_conn_set_address(conn, &address);
    return conn->kept ? charge(conn) : (struct refusal){0};
}
