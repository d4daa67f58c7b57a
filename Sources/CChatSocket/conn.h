/* A connection of the server, from accept() to the end of its libwebsockets object. On its loop's thread. */
#ifndef CS_CONN_H
#define CS_CONN_H

#include "address.h"
#include "shared.h"

struct loop;

enum cs_state {
    CS_HEADER,     /* → BODY, REQUEST, RESPONDING, OPEN, GONE: the header has not arrived */
    CS_BODY,       /* → REQUEST, RESPONDING, GONE: a request's body is arriving */
    CS_REQUEST,    /* → RESPONDING, GONE: the application has the request */
    CS_RESPONDING, /* → HEADER, GONE */
    CS_OPEN,       /* → CLOSING, GONE: a WebSocket */
    CS_CLOSING,    /* → GONE: our close frame is queued or sent; nothing is received any more */
    CS_GONE,       /* nothing may be written: the peer or libwebsockets is closing */
};

struct queued {
    struct queued *next;
    chatsock_frame *frame;
    size_t gone; /* bytes already sent; above 0 only in the first entry, whose next fragment precedes anything else */
};

struct cursor;     /* topic.h */
struct preflight;  /* preflight.c */
struct exchange;   /* http.h */
struct cs_carrier; /* http.h */
struct partial;    /* partial.h */
struct tls_bridge; /* tls_bridge.h */

struct conn {
    /* The fields that a delivery reads come first, in as few cache lines as possible. */
    struct loop *loop;
    struct queued *queue, **queue_end; /* private frames, oldest first */
    struct cursor *cursors;            /* its places in logs */
    struct cursor **dirty;             /* cursors with something to send in this turn; has room for all of them */
    uint32_t cursor_count, dirty_count;
    int fd;   /* the descriptor that libwebsockets reads and writes */
    int wire; /* the peer's socket; the same as `fd` without TLS */
    enum cs_state state : 8;
    bool waiting : 1;  /* the socket took no more; the writable callback continues */
    bool pinged : 1;
    bool proxy_header_due : 1; /* a PROXY header comes first */
    bool unnamed : 1;          /* the PROXY header named no client */
    bool identified : 1;       /* `address` is the client's, as its proxies report it */
    bool kept : 1;             /* it has carried a request before */
    bool opened_reported : 1;  /* opened() was called and closed() was not, unless it is an echo */
    bool echo : 1;             /* sends back what it receives; the application does not know of it */
    bool spare : 1;            /* has one of the CS_SPARES places */
    bool drops : 1;            /* libwebsockets sends its own close frame, and closes */
    bool wants_behind : 1;     /* a cursor is behind and the application does not know yet */
    uint16_t code;             /* for closed() */
    struct lws *wsi;
    uint64_t id;
    struct conn *wheel_next, **wheel_link;
    struct partial *partial;
    struct exchange *exchange;
    void (*abort)(struct conn *conn); /* frees it and closes its socket, soon; NULL: libwebsockets has the connection */
    const struct cs_carrier *carrier; /* http.h; of its requests, while libwebsockets does not have the connection */
    struct preflight *preflight; /* until libwebsockets or the bridge has the connection */
    struct tls_bridge *bridge; /* only with TLS, until the end */
    size_t queued_bytes;
    size_t cut_bytes; /* the rest of a cut frame or fragment, which libwebsockets or the bridge will send */
    uint32_t dirty_room;
    uint32_t flush_index; /* its place in loop->to_flush, from 1; 0: not there */
    uint64_t since;      /* ms: when the state was entered */
    uint64_t received_at; /* ms: when something was last received from the peer */
    uint64_t progressed; /* ms: when `acked` last grew, while waiting */
    uint64_t acked;
    struct in6_addr address, base; /* the client's; that of the socket, or of its PROXY header */
};

/* ---- its life ---- */

/* slots.c */
struct conn *cs_conn_find(struct loop *loop, uint64_t id);
bool cs_slot_assign(struct conn *conn); /* false: there is none, or no memory for one */
void cs_slot_renew(struct conn *conn); /* gives it another number */
void cs_slot_release(struct conn *conn);

/* state.c */
void cs_conn_set_state(struct conn *conn, enum cs_state state);
/* Ends the connection without a close frame. */
void cs_conn_kill(struct conn *conn);

/* adopt.c */
enum cs_place_kind { CS_ORDINARY, CS_SPARE };
/* Returns the number of the new connection, or 0 when there is none; the descriptor is closed then. */
uint64_t cs_conn_adopt(struct loop *loop, int fd, const struct in6_addr *address, enum cs_place_kind kind);

/* connection.c */
/* Gives the connection to libwebsockets. */
void cs_conn_attach_wsi(struct conn *conn);
void cs_conn_close(struct conn *conn, uint16_t code, const char *reason);
/* Stops writing to the connection and telling about it, and frees what it held. The struct stays until
   cs_conn_free(). */
void cs_conn_tear_down(struct conn *conn, uint16_t code);
void cs_conn_free(struct conn *conn);

/* peer.c */
/* Takes a connection out of the server's counts. */
void cs_place_release(struct loop *loop, const struct in6_addr *address, enum cs_place_kind kind);
struct refusal {
    unsigned status; /* 0: not refused */
    chatsock_refusal why;
    const char *header; /* or NULL */
    const char *text;
};
/* Moves the connection from the proxy's address to `address`. */
struct refusal cs_conn_set_address(struct conn *conn, const struct in6_addr *address);
/* Refuses anything but a vital path to a connection in a spare place, and to one whose proxy named no client. */
struct refusal cs_conn_check_place(const struct conn *conn, const char *path);
/* Finds the client's address, as the trusted proxies report it for this request. */
/* `forwarded` is the value of X-Forwarded-For, and is changed; NULL when it was not sent. `odd`: it cannot be read. */
struct refusal cs_conn_identify(struct conn *conn, char *forwarded, bool odd);

/* ---- writing ---- */

/* queue.c */
/* Queues a private frame, without a limit. */
void cs_conn_enqueue(struct conn *conn, chatsock_frame *frame);
/* Records that the first frame of the queue is sent up to byte `at`. At its end the frame leaves the queue. */
void cs_queue_advance(struct conn *conn, size_t at);
void cs_queue_clear(struct conn *conn);
/* The rest of a cut frame is out, or gone. */
void cs_conn_clear_cut(struct conn *conn);
/* Has the connection written to at the end of the turn. */
void cs_conn_schedule_flush(struct conn *conn);
void cs_conn_cancel_flush(struct conn *conn);

/* outbox.c */
/* Queues a private frame for the connection. Closes the connection when it is over its limit. */
void cs_conn_send(struct conn *conn, chatsock_frame *frame);
/* The same, but after what libwebsockets sends by itself: its pongs to earlier pings. */
void cs_conn_send_after_pongs(struct conn *conn, chatsock_frame *frame);
/* Writes private frames, then what the dirty cursors lack, as far as the socket takes it. */
void cs_conn_flush(struct conn *conn);
/* Writes all that one cursor lacks to a connection that has nothing else to get. Almost every delivery goes this
   way. */
void cs_cursor_flush(struct cursor *cursor);
void cs_conn_handle_writable(struct conn *conn);
static inline bool cs_conn_can_write(const struct conn *conn) {
    return !conn->waiting && (conn->state == CS_OPEN || conn->state == CS_CLOSING);
}

/* ---- time ---- */

/* wheel.c: has each connection checked now and then, coarsely */
void cs_wheel_add(struct conn *conn, uint64_t at_ms);
void cs_wheel_remove(struct conn *conn);
typedef uint64_t cs_wheel_check(struct conn *conn, uint64_t now); /* returns when to check the connection again, in ms */
void cs_wheel_advance(struct loop *loop, cs_wheel_check *check);

/* deadlines.c */
uint64_t cs_conn_check_deadlines(struct conn *conn, uint64_t now);

/* progress.c: the bytes that the peer's kernel has acknowledged since the connection began */
uint64_t cs_socket_count_acknowledged(int fd);

/* ---- reading ---- */

/* preflight.c: false when there is no memory */
bool cs_preflight_open(struct conn *conn);

/* handshake.c */
int cs_conn_confirm_upgrade(struct conn *conn, bool may_answer);
void cs_conn_open(struct conn *conn);

/* receive.c */
int cs_conn_handle_data(struct conn *conn, const uint8_t *bytes, size_t count);
int cs_conn_handle_close(struct conn *conn, const uint8_t *bytes, size_t count);

/* partial.c */
void cs_partial_free(struct conn *conn);
size_t cs_partial_count_held(const struct conn *conn);

#endif
