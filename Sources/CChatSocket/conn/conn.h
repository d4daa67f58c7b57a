/* A connection of the server, from accept() to the end of its libwebsockets object. On its loop's thread. */
#ifndef CS_CONN_H
#define CS_CONN_H

#include "shared/address.h"
#include "shared/frame.h"
#include "shared/lws.h"

#include <stdlib.h>
#include <string.h>

struct loop;

enum cs_state {
    CS_HEADER,     /* → BODY, REQUEST, RESPONDING, OPEN, GONE: the header has not arrived */
    CS_BODY,       /* → REQUEST, RESPONDING, GONE: a request's body is arriving */
    CS_REQUEST,    /* → RECEIVING, RESPONDING, GONE: the application has the request */
    CS_RECEIVING,  /* → REQUEST, RESPONDING, GONE: the body of a PUT is on its way to a file */
    CS_RESPONDING, /* → HEADER, GONE */
    CS_OPEN,       /* → CLOSING, GONE: a WebSocket */
    CS_CLOSING,    /* → GONE: our close frame is queued or sent; nothing is received any more */
    CS_GONE,       /* nothing may be written: the peer or libwebsockets is closing */
};

struct queued { /* private to delivery */
    struct queued *next;
    chatsock_frame *frame; /* holds a reference */
    size_t gone; /* bytes already sent; above 0 only in the first entry, whose next fragment precedes anything else */
};

struct output { /* private to delivery: what waits to be written to a connection besides logs */
    struct queued *queue, **queue_end; /* private frames, oldest first; owned */
    size_t queued_bytes;
    size_t cut_bytes;     /* the rest of a cut frame or fragment, which libwebsockets or the bridge will send */
    uint32_t flush_index; /* its place in the loop's flush list, from 1; 0: not there */
};

struct reading { /* private to delivery: the logs that a connection reads */
    struct cursor *cursors; /* its places in logs; owned */
    struct cursor **dirty;  /* cursors with something to send in this turn; has room for all of them */
    uint32_t cursor_count, dirty_count, dirty_room;
    bool wants_behind; /* a cursor is behind and the application does not know yet */
};

struct wheel_entry { /* private to conn.c */
    struct conn *next, **link;
};

struct cursor;     /* delivery/topic.h */
struct preflight;  /* http/preflight.c */
struct exchange;   /* exchange.h */
struct cs_carrier; /* exchange.h */
struct partial;    /* partial.h */
struct tls_bridge; /* tls/tls_bridge.h */

struct conn {
    /* The fields that a delivery reads come first, in as few cache lines as possible. */
    struct loop *loop;
    int fd;   /* the descriptor that libwebsockets reads and writes */
    int wire; /* the peer's socket; the same as `fd` without TLS */
    enum cs_state state : 8;
    bool waiting : 1; /* the socket took no more; the writable callback continues */
    bool pinged : 1;
    bool proxy_header_due : 1; /* a PROXY header comes first */
    bool unnamed : 1;          /* the PROXY header named no client */
    bool identified : 1;       /* `address` is the client's, as its proxies report it */
    bool kept : 1;             /* it has carried a request before */
    bool opened_reported : 1;  /* opened() was called and closed() was not, unless it is an echo */
    bool echo : 1;             /* sends back what it receives; the application does not know of it */
    bool spare : 1;            /* has one of the CS_SPARES places */
    bool drops : 1;            /* libwebsockets sends its own close frame, and closes */
    uint16_t code;             /* for closed() */
    struct reading reading;
    struct output output;
    struct lws *wsi;           /* libwebsockets' own; valid from its first callback to LWS_CALLBACK_WSI_DESTROY */
    uint64_t id;
    struct wheel_entry wheel;
    struct partial *partial;          /* owned */
    struct exchange *exchange;        /* owned */
    void (*abort)(struct conn *conn); /* frees it and closes its socket, soon; NULL: libwebsockets has the connection */
    const struct cs_carrier *carrier; /* of its requests, while libwebsockets does not have the connection; static */
    struct preflight *preflight; /* until libwebsockets or the bridge has the connection; frees itself */
    struct tls_bridge *bridge; /* only with TLS, until the end; may outlive the connection */
    uint64_t since; /* ms: when the state was entered */
    uint64_t received_at; /* ms: when something was last received from the peer */
    uint64_t progressed; /* ms: when `acked` last grew, while waiting; or a body, while it is received */
    uint64_t acked;
    struct in6_addr address, base; /* the client's; that of the socket, or of its PROXY header */
};

/* ---- conn.c ---- */

/* NULL: the number is unknown or closed. Valid until the next call that may end a connection. */
struct conn *cs_conn_find(struct loop *loop, uint64_t id);
bool cs_slot_assign(struct conn *conn); /* false: there is none, or no memory for one */
void cs_slot_renew(struct conn *conn); /* gives it another number */
void cs_slot_release(struct conn *conn);
/* Returns the connections of the loop one by one; NULL after the last. `*at` is 0 at first. Any may end meanwhile. */
struct conn *cs_slots_next(struct loop *loop, uint32_t *at);
/* The number of connections that there may be at a time so far. */
uint32_t cs_slots_count(const struct loop *loop);
bool cs_slots_are_empty(const struct loop *loop);
/* Frees the slots and what is left of connections, after the loop has ended. */
void cs_slots_free(struct loop *loop);

void cs_conn_set_state(struct conn *conn, enum cs_state state);
/* Ends the connection without a close frame. It is freed later, or at once when libwebsockets does not have it. */
void cs_conn_kill(struct conn *conn);

/* The wheel has each connection checked now and then, coarsely. */
void cs_wheel_start(struct loop *loop);
void cs_wheel_add(struct conn *conn, uint64_t at_ms);
void cs_wheel_remove(struct conn *conn);
typedef uint64_t cs_wheel_check(struct conn *conn,
                                uint64_t now); /* returns when to check the connection again, in ms */
void cs_wheel_advance(struct loop *loop, cs_wheel_check *check);

/* ---- peer.c ---- */

enum cs_place_kind { CS_ORDINARY, CS_SPARE };
/* Removes a connection from the server's counts. */
void cs_place_release(struct loop *loop, const struct in6_addr *address, enum cs_place_kind kind);
struct refusal {
    unsigned status; /* 0: not refused */
    chatsock_refusal why;
    const char *header; /* or NULL; static, as is the text */
    const char *text;
};
/* Moves the connection from the proxy's address to `address`. */
struct refusal cs_conn_set_address(struct conn *conn, const struct in6_addr *address);
/* Refuses anything but a vital path to a connection in a spare place, and to one whose proxy named no client. */
struct refusal cs_conn_check_place(const struct conn *conn, const char *path);
/* Finds the client's address, as the trusted proxies report it for this request. `forwarded` is the value of
   X-Forwarded-For, and is changed; NULL when it was not sent. `odd`: it cannot be read. */
struct refusal cs_conn_identify(struct conn *conn, char *forwarded, bool odd);

/* ---- logging.c ---- */

/* Sets the loop that this thread runs; cs_loop_is_current() is true for it. */
void cs_loop_set_current(struct loop *loop);
bool cs_loop_is_current(const struct loop *loop); /* any thread */
/* Logs that a peer is refused because it and this server, or a proxy between them, are set up for different protocols:
   the peer's people may not see the answer. */
void cs_conn_log_refusal(const struct conn *conn, const char *text);
/* Logs that a web page was refused, with its origin: its developer may not see the answer. */
void cs_conn_log_origin(const struct conn *conn, const char *origin, const char *text);

#endif
