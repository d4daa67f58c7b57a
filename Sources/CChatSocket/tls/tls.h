/* The server's TLS: certificates, and the bridges of connections. On the loop's thread but for tls.c. A connection owns
   its bridge until it detaches it; then the bridge frees itself. */
#ifndef CS_TLS_H
#define CS_TLS_H

#include "conn/loop.h"

/* tls.c (any thread). The caller frees the SSL; NULL: out of memory */
bool cs_tls_load(chatsock_server *server);
SSL *cs_tls_session_new(chatsock_server *server);
void cs_tls_free(chatsock_server *server);

/* tls_records.c */
/* True when something waits for the socket. */
bool cs_tls_bridge_is_full(const struct tls_bridge *bridge);

/* tls_bridge.c */
/* True when libwebsockets has the connection. */
bool cs_tls_bridge_is_open(const struct tls_bridge *bridge);
/* Called before the connection is freed. The bridge lives on without it: sends the last bytes, then adjusts the
   server's counts. */
void cs_tls_bridge_detach(struct conn *conn);
void cs_tls_bridges_tick(struct loop *loop);
/* True when no bridge of the loop is left. */
bool cs_tls_bridges_are_closed(const struct loop *loop);
/* For a bridge that is not open: sends the bytes to the peer. */
void cs_tls_bridge_write(struct tls_bridge *bridge, const void *bytes, size_t count);
/* Encrypts and sends the bytes. Returns how many it has consumed: fewer than there are while the socket is full, and -1
   when the connection is broken. */
ssize_t cs_tls_bridge_send(struct tls_bridge *bridge, const struct iovec *parts, size_t count);
/* Copies the rest of a cut frame, which goes out before anything else. */
void cs_tls_bridge_enqueue(struct tls_bridge *bridge, const uint8_t *rest, size_t count);
/* Discards what waits for the peer. The peer gets nothing more. */
void cs_tls_bridge_discard_output(struct tls_bridge *bridge);
/* Calls cs_conn_handle_writable() when everything is out, or cs_http_write() while a request is answered. */
void cs_tls_bridge_await_room(struct tls_bridge *bridge);

#endif
