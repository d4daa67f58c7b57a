/* The client. On its loop's thread, except for the fields under `lock`. */
#ifndef CS_CLIENT_H
#define CS_CLIENT_H

#include "shared/clock.h"
#include "shared/lws.h"
#include "shared/text.h"

#include <openssl/ssl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct outgoing { /* a message to send; libwebsockets writes its header into the space before the bytes */
    struct outgoing *next;
    size_t count;
    enum lws_write_protocol kind;
    uint8_t space[LWS_PRE];
    uint8_t bytes[];
};

enum client_conn_state { CLIENT_CONN_CONNECTING, CLIENT_CONN_OPEN, CLIENT_CONN_CLOSING };

/* A connection. Every callback finds it by its number, so that libwebsockets never holds a pointer to freed memory. */
struct client_conn {
    struct client_conn *chain;
    uint64_t id;
    struct lws *wsi;
    enum client_conn_state state;
    bool tls, pinged;
    int objection; /* to the server's certificate: an X509_V_ERR_… code */
    char host[256];
    uint16_t code;
    char reason[CS_REASON_BYTES + 1];
    uint64_t since, received_at; /* ms */
    struct outgoing *queue, **queue_end;
    size_t queued;
    uint8_t *partial;
    size_t have, room;
};

struct client_command;

struct chatsock_client {
    chatsock_client_config config;
    chatsock_client_events events;
    void *ctx;
    uv_loop_t uv;
    uv_async_t wake;
    uv_timer_t tick;
    struct cs_clock clock;
    struct lws_context *lws;
    struct lws_vhost *vhost;
    struct pipe pipe;
    pthread_t thread;
    pthread_mutex_t lock; /* `inbox`, `inbox_end`, `inbox_closed` and `stopped`; any thread */
    struct client_command *inbox, **inbox_end;
    struct client_command *stop; /* made in advance: a thread that could not be stopped would be joined for ever */
    bool inbox_closed;
    bool stopped;
    _Atomic uint64_t last_id;
    bool has_loop, started, destroying;
    struct client_conn **chains;
    size_t count, size;
};

/* client_callback.c: what happens to connections */
const struct lws_protocols *cs_client_protocols(void);
void cs_client_conns_check_deadlines(chatsock_client *client); /* time-outs */

/* client_handshake.c: a connection's beginning */
void cs_client_conn_connect(chatsock_client *client, uint64_t id, const chatsock_target *target);
void cs_client_conn_handle_opened(chatsock_client *client, struct client_conn *conn);
/* `why` is the library's reason, and may be NULL. */
void cs_client_conn_handle_failure(chatsock_client *client, struct client_conn *conn, const char *why, size_t count);
const char *cs_client_conn_explain_timeout(const struct client_conn *conn);

/* client_conn.c: connections; the functions that may end one free it then */
struct client_conn *cs_client_conn_add(chatsock_client *client, uint64_t id, bool tls); /* NULL when out of memory */
struct client_conn *cs_client_conn_find(chatsock_client *client, uint64_t id);
struct outgoing *cs_outgoing_new(enum lws_write_protocol kind, const void *bytes, size_t count);
/* Takes over `message`. */
void cs_client_conn_send(chatsock_client *client, struct client_conn *conn, struct outgoing *message);
void cs_client_conn_flush(chatsock_client *client, struct client_conn *conn);
void cs_client_conn_close(chatsock_client *client, struct client_conn *conn, uint16_t code, const char *reason);
/* Ends the connection, and has libwebsockets kill its socket. */
void cs_client_conn_kill(chatsock_client *client, struct client_conn *conn, const char *why);
void cs_client_conn_end(chatsock_client *client, struct client_conn *conn, const char *why, unsigned status);
void cs_client_conns_end(chatsock_client *client);

/* Returns 0 when the certificate is valid; otherwise keeps the error for cs_client_conn_format_objection() */
int cs_client_conn_check_certificate(struct client_conn *conn, X509_STORE_CTX *store, bool fine);
void cs_client_conn_format_objection(const struct client_conn *conn, char *text, size_t size);

#endif
