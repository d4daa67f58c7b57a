/* Shared by the sources of the server. Everything here belongs to one loop's thread unless it says otherwise. */
#ifndef CS_SERVER_H
#define CS_SERVER_H

#include "address.h"
#include "shared.h"
#include "topic.h"

#include <openssl/ssl.h>
#include <pthread.h>

#define CS_ALLOW "allow: GET, HEAD, POST"
#define CS_TEXT_FULL "There is no room for more connections. Try again later.\n"
#define CS_TEXT_TOO_MANY "There are too many connections from this address. Try again later.\n"
#define CS_TEXT_TOO_FAST "Connections from this address come too fast. Try again later.\n"
enum {
    CS_WHEEL_SLOTS = 128,
    CS_PUT_OFF_TURNS = 16,    /* turns of the loop that sending waits at most while each of them appends something */
    CS_CORK_MS = 1,           /* a cork lasts this long at most, */
    CS_CORK_TIMES = 4,        /* or this many times the duration of a round of writing, */
    CS_CORK_MOST_MS = 20,     /* but no longer than this */
    CS_RX_BUFFER = 1024,      /* of each WebSocket, held by libwebsockets while it is open */
    CS_SERVICE_BUFFER = 4096, /* of each loop */
    CS_HEADER_BYTES = 16384,  /* of one request, all headers together */
    CS_HEADER_PARTS = 80,     /* lines, and arguments of the query: libwebsockets drops a request with about 90 */
    CS_HEADER_ROOM = 3 * CS_HEADER_BYTES, /* libwebsockets adds 8 bytes to each header it does not know */
    CS_PASSED_OVER_TIMES = 16, /* a message of up to this many times the limit is reported, and its connection stays */
    CS_EDGE_BYTES = 256,       /* kept of the beginning of such a message, and of its end */
    CS_CODE_OWES_MOST = 4007,
    CS_BUDGET_STEP = 65536, /* a loop that has taken this much more checks the budget */
    CS_FORWARDED_BYTES = 4096,
    CS_ACCEPTS_PER_TURN = 64,
    CS_SPARES = 16,    /* places beyond the limit of connections, for health checks */
    CS_REJECTIONS = 32, /* connections at a time that get an answer when they are refused at once */
};

/* ---- a connection, from accept() to the end of its libwebsockets object ---- */

enum cs_state {
    CS_HEADER,     /* → REQUEST, OPEN, GONE: the header has not arrived */
    CS_BODY,       /* → REQUEST, RESPONDING, GONE: a request's body is arriving */
    CS_REQUEST,    /* → RESPONDING, GONE: the application has the request */
    CS_RESPONDING, /* → GONE */
    CS_OPEN,       /* → CLOSING, GONE: a WebSocket */
    CS_CLOSING,    /* → GONE: our close frame is queued or sent; nothing is received any more */
    CS_GONE,       /* nothing may be written: the peer or libwebsockets is closing */
};

struct queued {
    struct queued *next;
    chatsock_frame *frame;
    size_t gone; /* bytes already sent; above 0 only in the first entry, whose next fragment precedes anything else */
};

struct cursor;
struct preflight;     /* preflight.c */
struct exchange; /* http.h */
struct partial;  /* partial.h */
struct tls_bridge;   /* tls_bridge.c */

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
    bool proxy_header_due : 1;    /* a PROXY header comes first */
    bool identified : 1; /* `address` is the client's, as its proxies report it */
    bool told : 1;     /* opened() was called and closed() was not, unless it is an echo */
    bool echo : 1;     /* sends back what it receives; the application does not know of it */
    bool spare : 1; /* has one of the CS_SPARES places */
    bool drops : 1; /* libwebsockets sends its own close frame, and closes */
    bool wants_behind : 1; /* a cursor is behind and the application does not know yet */
    uint16_t code;     /* for closed() */
    struct lws *wsi;
    uint64_t id;
    struct conn *wheel_next, **wheel_link;
    struct partial *partial;
    struct exchange *exchange;
    void (*abort)(struct conn *conn); /* frees it and closes its socket, soon; NULL: libwebsockets has the connection */
    struct preflight *preflight; /* until libwebsockets or the bridge has the connection */
    struct tls_bridge *bridge; /* only with TLS, until the end */
    size_t queued_bytes;
    size_t cut_bytes; /* the rest of a cut frame or fragment, which libwebsockets or the bridge will send */
    uint32_t dirty_room;
    uint32_t late; /* its place in loop->late, from 1; 0: not there */
    uint64_t since;      /* ms: when the state was entered */
    uint64_t heard;      /* ms: when the peer was last heard */
    uint64_t progressed; /* ms: when `acked` last grew, while waiting */
    uint64_t acked;
    struct in6_addr address;
};

/* queue.c */
/* Queues a private frame, without a limit. */
void cs_queue(struct conn *conn, chatsock_frame *frame);
/* Records that the first frame of the queue is sent up to byte `at`. At its end the frame leaves the queue. */
void cs_queue_sent(struct conn *conn, size_t at);
void cs_queue_free(struct conn *conn);
/* The rest of a cut frame is out, or gone. */
void cs_cut_settled(struct conn *conn);
/* Has the connection written to at the end of the turn. */
void cs_late(struct conn *conn);
void cs_not_late(struct conn *conn);

/* ---- writing (outbox.c) ---- */

/* Queues a private frame for the connection. Closes the connection when it is over its limit. */
void cs_send(struct conn *conn, chatsock_frame *frame);
/* The same, but after what libwebsockets sends by itself: its pongs to earlier pings. */
void cs_send_after_pongs(struct conn *conn, chatsock_frame *frame);
/* Writes private frames, then what the dirty cursors lack, as far as the socket takes it. */
void cs_pump(struct conn *conn);
/* Writes all that one cursor lacks to a connection that has nothing else to get. Almost every delivery goes this
   way. */
void cs_pump_one(struct cursor *cursor);
void cs_writable(struct conn *conn);
static inline bool cs_can_write(const struct conn *conn) {
    return !conn->waiting && (conn->state == CS_OPEN || conn->state == CS_CLOSING);
}

/* ---- loops ---- */

struct counters { /* written by the loop's thread, read by any */
    _Atomic uint64_t open, accepted, refused[CHATSOCK_REFUSED_REASONS], closed[CHATSOCK_CLOSED_KINDS], requests;
    _Atomic uint64_t frames_in, bytes_in, bytes_out, writes, deliveries, behind, stalled;
    _Atomic uint64_t private_bytes, partial_bytes, log_bytes, topics, behind_now;
    _Atomic uint64_t cut_bytes, answer_bytes, shed;
    _Atomic uint64_t queued, queued_bytes; /* commands in the inbox. Written by any thread */
    _Atomic uint64_t lag[CHATSOCK_LAG_RANGES], lag_ns;
    _Atomic uint64_t ticked; /* ns: when the loop last read its clock */
};

static inline void cs_count(_Atomic uint64_t *counter, uint64_t more) { /* one writer: no locked instruction */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more, memory_order_relaxed);
}
#define CS_COUNT(loop, what, more) cs_count(&(loop)->counters.what, (uint64_t)(more))
/* Counts bytes of a kind that the budget limits. */
#define CS_TAKE(loop, what, more) (CS_COUNT(loop, what, more), (loop)->grown += (size_t)(more))

struct submission;

struct slot {
    struct conn *conn;
    uint32_t generation;
};

struct loop {
    chatsock_server *server;
    unsigned index;
    uv_loop_t uv;
    uv_async_t wake;
    uv_prepare_t prepare;
    uv_check_t check;
    uv_idle_t spin;
    uv_timer_t tick, cork_timer;
    bool open, can_wake; /* the loop is initialised, and so is `wake` */
    struct lws_context *lws;
    struct lws_vhost *vhost;
    struct pipe pipe;
    pthread_t thread;
    bool started;

    pthread_mutex_t lock; /* the two lines below; any thread */
    struct submission *inbox, **inbox_end;
    bool deaf; /* takes no more commands */

    struct slot *slots;
    uint32_t slot_count, slot_capacity, *free_slots, free_count;
    struct topics topics;
    struct topic *dirty;
    struct lates { /* connections to write to at the end of the turn */
        struct conn **conns;
        uint32_t count, room;
    } late;
    struct rejection *rejections;
    unsigned rejection_count;
    struct tls_bridge *parting; /* bridges without a connection: their peers still get the last bytes */
    uint64_t bridges;
    unsigned turns; /* for which sending was put off */
    uint64_t writing_ms; /* the recent duration of a round of writing */
    bool fresh;     /* something was appended in this turn */
    bool corked;       /* writing waits for more */
    bool cork_started; /* `cork_timer` was started since the last round */
    bool cork_expired; /* and has fired since then */
    bool told;      /* the application got events, and no turn_ended() since */
    bool spinning;

    struct conn *wheel[CS_WHEEL_SLOTS];
    uint64_t tick_ms, ticked;
    struct cs_clock clock;
    uint64_t stop_at; /* ms; 0: not stopping */
    bool destroying;
    uint64_t log_window; /* for the rate limit in logging.c */
    unsigned log_lines, log_dropped;
    size_t grown;          /* bytes taken since the budget was last checked */
    bool has_shed;         /* freed memory is to be returned to the system */
    bool over;             /* the server was over its budget at the last tick */
    uint64_t gave_back;    /* ms: when memory was last returned to the system */
    _Atomic uint64_t most; /* upper bound of the bytes that one connection of the loop holds. Any thread */
    _Atomic uint64_t handed; /* connections given to the loop that have not ended. Any thread */
    struct counters counters;
};

struct listener {
    int fd;
    uv_poll_t poll;
    bool open, paused;
};

struct chatsock_server {
    chatsock_config config;
    chatsock_events events;
    void *ctx;
    uint16_t port;
    unsigned possible_connections; /* as the descriptor limit allows */
    atomic_uint connection_limit;
    struct loop *loops;
    unsigned loop_count;
    struct listener listener; /* on loop 0 */
    pthread_mutex_t lock;     /* `stopped` and `tls` */
    bool stopped;
    struct addresses *addresses;
    uint64_t spares[CS_SPARES]; /* the connections that took these places last; loop 0's thread */
    unsigned next_spare;
    struct cs_networks trusted; /* proxies */
    SSL_CTX *tls; /* NULL: no TLS; under `lock` */
    _Atomic uint64_t total_connections, partial_bytes;
    _Atomic uint64_t held; /* bytes that the application keeps and could make again */
    _Atomic bool pressed;  /* pressed() was called since the last tick */
    chatsock_frame *ping;
};

/* The milliseconds that the loop has been able to read. All its deadlines use this time. */
static inline uint64_t cs_now(struct loop *loop) {
    return cs_clock_now(&loop->clock, &loop->uv);
}
const struct lws_protocols *cs_protocols(void);
int cs_callback(struct lws *wsi, enum lws_callback_reasons why, void *user, void *in, size_t count);

/* loop.c */
int cs_loop_open(struct loop *loop, chatsock_server *server, unsigned index);
int cs_loop_start(struct loop *loop);
void cs_loop_close(struct loop *loop); /* after its thread has ended, or instead of starting it */

/* cork.c */
/* Lets writing wait for more, until the next round of writing or cs_uncork(). */
void cs_cork(struct loop *loop);
void cs_uncork(struct loop *loop);

/* command.c */
void cs_commands_run(struct loop *loop);

/* inbox.c: commands of our own for a loop. Any thread. False: the loop has stopped, or there is no memory */
bool cs_command_adopt(struct loop *loop, int fd, const struct in6_addr *address);
void cs_command_stop(struct loop *loop, unsigned grace_ms);
void cs_command_shed(struct loop *loop);

/* slots.c */
struct conn *cs_find(struct loop *loop, uint64_t id);
bool cs_slot_take(struct conn *conn); /* false: there is none, or no memory for one */
void cs_slot_give(struct conn *conn);

/* state.c */
void cs_enter(struct conn *conn, enum cs_state state);
/* Ends the connection without a close frame. */
void cs_kill(struct conn *conn);

/* adopt.c */
enum cs_place_kind { CS_ORDINARY, CS_SPARE };
/* Returns the number of the new connection, or 0 when there is none; the descriptor is closed then. */
uint64_t cs_adopt(struct loop *loop, int fd, const struct in6_addr *address, enum cs_place_kind kind);

/* connection.c */
/* Gives the connection to libwebsockets. */
void cs_attach_wsi(struct conn *conn);
void cs_close(struct conn *conn, uint16_t code, const char *reason);
/* Stops writing to the connection and telling about it, and frees what it held. The struct stays until
   cs_conn_free(). */
void cs_conn_gone(struct conn *conn, uint16_t code);
void cs_conn_free(struct conn *conn);

/* peer.c */
/* Takes a connection out of the server's counts. */
void cs_connection_left(struct loop *loop, const struct in6_addr *address, enum cs_place_kind kind);
struct refusal {
    unsigned status; /* 0: not refused */
    chatsock_refusal why;
    const char *header; /* or NULL */
    const char *text;
};
/* Moves the connection from the proxy's address to `address`. */
struct refusal cs_readdress(struct conn *conn, const struct in6_addr *address);
/* Refuses a connection in a spare place that asks for anything but a vital path. */
struct refusal cs_refuse_spare(const struct conn *conn, const char *path);
/* Finds the client's address in the header, as the trusted proxies report it. */
struct refusal cs_identify(struct conn *conn);
static inline struct loop *cs_loop_of(const chatsock_server *server, uint64_t id) {
    return id >> 56 < server->loop_count ? &server->loops[id >> 56] : NULL;
}

/* budget.c */
uint64_t cs_budget_used(const chatsock_server *server);
/* Sheds when the server is over its budget. */
void cs_budget_look(struct loop *loop);
/* Sheds because another loop found that this one has the connection that holds most. */
void cs_budget_shed(struct loop *loop);
void cs_budget_turn(struct loop *loop);
/* Notes that a connection of the loop now holds `bytes`. */
static inline void cs_budget_owes(struct loop *loop, size_t bytes) {
    if (bytes > atomic_load_explicit(&loop->most, memory_order_relaxed))
        atomic_store_explicit(&loop->most, bytes, memory_order_relaxed);
}
static inline void cs_budget_mind(struct loop *loop) {
    if (loop->grown >= CS_BUDGET_STEP)
        cs_budget_look(loop);
}

/* peek.c */
void cs_peek(struct loop *loop, uint64_t id, uint64_t ticket);

/* wheel.c: has each connection checked now and then, coarsely */
void cs_wheel_put(struct conn *conn, uint64_t at_ms);
void cs_wheel_remove(struct conn *conn);
typedef uint64_t cs_check(struct conn *conn, uint64_t now); /* returns when to check the connection again, in ms */
void cs_wheel_turn(struct loop *loop, cs_check *check);

/* deadlines.c */
uint64_t cs_check_deadlines(struct conn *conn, uint64_t now);

/* progress.c: the bytes that the peer's kernel has acknowledged since the connection began */
uint64_t cs_bytes_acknowledged(int fd);

/* listen.c */
chatsock_error cs_listener_bind(chatsock_server *server, int *detail);
int cs_listener_open(chatsock_server *server);
void cs_listener_close(chatsock_server *server);
void cs_listener_resume(chatsock_server *server);

/* reject.c: takes over the descriptor */
void cs_reject(struct loop *loop, int fd, unsigned status, const char *text);
void cs_rejections_turn(struct loop *loop);

/* tls.c (any thread) */
bool cs_tls_make(chatsock_server *server);
SSL *cs_tls_new(chatsock_server *server);
void cs_tls_free(chatsock_server *server);

/* tls_accept.c: false when there is no memory */
bool cs_tls_bridge_open(struct conn *conn);

/* tls_bridge.c */
/* True when libwebsockets has the connection. */
bool cs_tls_bridge_is_open(const struct tls_bridge *bridge);
/* Called before the connection is freed. The bridge lives on without it: sends the last bytes, then adjusts the
   server's counts. */
void cs_tls_bridge_part(struct conn *conn);
void cs_tls_bridges_turn(struct loop *loop);
/* For a bridge that is not open: sends the bytes to the peer. */
void cs_tls_bridge_say(struct tls_bridge *bridge, const void *bytes, size_t count);
/* Returns the number of bytes taken; less than there are when the peer takes no more for now, -1 when the connection is
   broken. */
ssize_t cs_tls_bridge_send(struct tls_bridge *bridge, const struct iovec *parts, size_t count);
/* Keeps the rest of a cut frame. */
void cs_tls_bridge_keep(struct tls_bridge *bridge, const uint8_t *rest, size_t count);
/* Discards what waits for the peer. The peer gets nothing more. */
void cs_tls_bridge_forsake(struct tls_bridge *bridge);
/* Calls cs_writable() when everything is out. */
void cs_tls_bridge_wait(struct tls_bridge *bridge);

/* preflight.c: false when there is no memory */
bool cs_preflight_open(struct conn *conn);

/* discard.c: discards input, up to a limit. Returns true when no more will come. */
bool cs_discard(int fd);

/* handshake.c */
int cs_confirm_upgrade(struct conn *conn, bool may_answer);
void cs_open(struct conn *conn);

/* receive.c */
int cs_receive(struct conn *conn, const uint8_t *bytes, size_t count);
int cs_peer_closes(struct conn *conn, const uint8_t *bytes, size_t count);

/* partial.c */
void cs_partial_free(struct conn *conn);
size_t cs_partial_held(const struct conn *conn);

/* logging.c */
/* Sets the loop that this thread runs; cs_is_current() is true for it. */
void cs_set_current(struct loop *loop);
bool cs_is_current(const struct loop *loop);
/* Logs that a peer is refused because it and this server, or a proxy between them, are set up for different protocols:
   the peer's people may not see the answer. */
void cs_log_refusal(const struct conn *conn, const char *text);

#endif
