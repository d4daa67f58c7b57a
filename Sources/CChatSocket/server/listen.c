/*
 * Accepting. Loop 0 reads one listening socket and gives each connection to the loop that has the fewest. The socket is
 * exclusive: with SO_REUSEPORT, a second server of the same user would silently share the port.
 */
#include "delivery/delivery.h"
#include "http/http.h"
#include "server/server.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <unistd.h>

enum {
    BACKLOG = 4096,
    UNSENT_BYTES = 131072, /* that the kernel takes beyond what is under way; it would take megabytes for each peer */
};

static chatsock_error error_of(int reason) {
    switch (reason) {
    case EADDRINUSE:
        return CHATSOCK_PORT_IN_USE;
    case EACCES:
    case EPERM:
        return CHATSOCK_NOT_PERMITTED;
    case EADDRNOTAVAIL:
        return CHATSOCK_BAD_ADDRESS;
    default:
        return CHATSOCK_SYSTEM;
    }
}

static int listen_at(const struct addrinfo *where) {
    int fd = socket(where->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1, off = 0, unsent = UNSENT_BYTES;
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); /* ignores old connections in TIME_WAIT */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* accepted sockets inherit it, */
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent); /* and this */
    if (where->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (!bind(fd, where->ai_addr, where->ai_addrlen) && !listen(fd, BACKLOG))
        return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

static uint16_t port_of(int fd) {
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof own;
    if (getsockname(fd, (struct sockaddr *)&own, &size))
        return 0;
    return ntohs(own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port
                                           : ((struct sockaddr_in *)&own)->sin_port);
}

void cs_listener_init(chatsock_server *server) {
    server->listener.fd = -1;
}

chatsock_error cs_listener_bind(chatsock_server *server, int *detail) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV}, *found = NULL;
    char port[8];
    snprintf(port, sizeof port, "%u", server->config.port);
    if (getaddrinfo(server->config.host, port, &hints, &found))
        return CHATSOCK_BAD_ADDRESS;
    server->listener.fd = listen_at(found);
    *detail = errno;
    freeaddrinfo(found);
    if (server->listener.fd < 0)
        return error_of(*detail);
    server->port = port_of(server->listener.fd);
    return CHATSOCK_OK;
}

/* ---- a socket becomes a connection of a loop ---- */

static struct conn *conn_new(struct loop *loop, int fd, const struct in6_addr *address, enum cs_place_kind kind) {
    const chatsock_server *server = loop->server;
    struct conn *conn = calloc(1, sizeof *conn);
    if (!conn)
        return NULL;
    conn->loop = loop;
    conn->fd = conn->wire = fd;
    conn->address = conn->base = *address;
    conn->spare = kind == CS_SPARE;
    cs_queue_open(conn);
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

/* ---- admission ---- */

static struct loop *find_idlest(chatsock_server *server) {
    struct loop *best = &server->loops[0];
    uint64_t fewest = UINT64_MAX;
    for (unsigned i = 0; i < server->loop_count; i++) {
        struct loop *loop = &server->loops[i];
        if (loop->assigned < fewest) {
            fewest = loop->assigned;
            best = loop;
        }
    }
    return best;
}

static void refuse(chatsock_server *server, int fd, chatsock_refusal why, unsigned status, const char *text) {
    CS_COUNT(&server->loops[0], refused[why], 1); /* before the peer can know of it */
    cs_rejection_open(&server->loops[0], fd, status, text);
}

static void admit(chatsock_server *server, int fd, const struct in6_addr *address) {
    struct loop *loop = find_idlest(server);
    /* Counted here and not by the other loop: more could be accepted before its turn comes. */
    atomic_fetch_add(&server->total_connections, 1);
    atomic_fetch_add_explicit(&loop->assigned, 1, memory_order_relaxed);
    if (loop->index == 0)
        cs_conn_adopt(loop, fd, address, CS_ORDINARY);
    else if (!cs_inbox_enqueue_adopt(loop, fd, address)) /* which closes the descriptor then */
        cs_place_release(loop, address, CS_ORDINARY);
}

/* Accepts a connection beyond the limit, because a full server still answers health checks. It takes the place of the
   connection that has had one longest. So a client that occupies all of them cannot
   keep others from asking. */
static void admit_to_spare(chatsock_server *server, int fd, const struct in6_addr *address) {
    struct loop *loop = &server->loops[0];
    uint64_t *place = &server->listener.spares[server->listener.next_spare++ % CS_SPARES];
    struct conn *last = cs_conn_find(loop, *place);
    if (last)
        cs_conn_kill(last);
    atomic_fetch_add_explicit(&loop->assigned, 1, memory_order_relaxed);
    *place = cs_conn_adopt(loop, fd, address, CS_SPARE);
}

static void admit_or_refuse(chatsock_server *server, int fd, const struct sockaddr_storage *peer) {
    struct in6_addr address = cs_address_from_socket(peer);
    bool full = atomic_load(&server->total_connections) >= atomic_load(&server->connection_limit);
    if (full && !server->config.vital_count) {
        refuse(server, fd, CHATSOCK_REFUSED_FULL, 503, CS_TEXT_FULL);
        return;
    }
    switch (cs_addresses_admit_connection(server->addresses, &address, uv_now(&server->loops[0].uv))) {
    case CS_TOO_MANY:
        refuse(server, fd, CHATSOCK_REFUSED_ADDRESS, 429, CS_TEXT_TOO_MANY);
        break;
    case CS_TOO_FAST:
        refuse(server, fd, CHATSOCK_REFUSED_RATE, 429, CS_TEXT_TOO_FAST);
        break;
    case CS_ADMITTED:
        (full ? admit_to_spare : admit)(server, fd, &address);
    }
}

/* Called when descriptors run out in spite of the limit. Without a pause, the waiting connection would wake the loop
   for ever. */
static void pause_listener(struct listener *listener) {
    uv_poll_stop(&listener->poll);
    listener->paused = true;
}

static void on_connection(uv_poll_t *handle, int status, int events) {
    chatsock_server *server = handle->data;
    (void)status;
    (void)events;
    for (int i = 0; i < CS_ACCEPTS_PER_TURN; i++) {
        struct sockaddr_storage peer;
        socklen_t size = sizeof peer;
        int fd = accept4(server->listener.fd, (struct sockaddr *)&peer, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
            admit_or_refuse(server, fd, &peer);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            return pause_listener(&server->listener);
        else if (errno != ECONNABORTED && errno != EINTR)
            return;
    }
}

int cs_listener_open(chatsock_server *server) {
    struct listener *listener = &server->listener;
    int failed = uv_poll_init(&server->loops[0].uv, &listener->poll, listener->fd);
    if (failed)
        return -failed;
    listener->poll.data = server;
    listener->open = true;
    uv_poll_start(&listener->poll, UV_READABLE, on_connection);
    return 0;
}

void cs_listener_resume(chatsock_server *server) {
    if (!server->listener.paused || !server->listener.open)
        return;
    server->listener.paused = false;
    uv_poll_start(&server->listener.poll, UV_READABLE, on_connection);
}

void cs_listener_close(chatsock_server *server) {
    struct listener *listener = &server->listener;
    if (listener->open) {
        listener->open = false;
        uv_poll_stop(&listener->poll);
        uv_close((uv_handle_t *)&listener->poll, NULL);
    }
    if (listener->fd >= 0)
        close(listener->fd);
    listener->fd = -1;
}
