/* What the sources of the server share. Everything here belongs to one loop's thread unless it says otherwise. */
#ifndef CS_SERVER_H
#define CS_SERVER_H

#include "shared.h"
#include "topic.h"

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <pthread.h>

#define CS_ALLOW "allow: GET, HEAD, POST"
#define CS_TEXT_FULL "There is no room for more connections. Try again later.\n"
#define CS_TEXT_TOO_MANY "There are too many connections from this address. Try again later.\n"
#define CS_TEXT_TOO_FAST "Connections from this address come too fast. Try again later.\n"
enum {
    CS_WHEEL_SLOTS = 128,
    CS_PUT_OFF_TURNS = 16,    /* how long sending waits for more while each turn of the loop brings news */
    CS_CORK_MS = 1,           /* and how long at most while more is on its way: this, or */
    CS_CORK_TIMES = 4,        /* so many times what writing takes, */
    CS_CORK_MOST_MS = 20,     /* but no longer than this */
    CS_RX_BUFFER = 1024,      /* of each WebSocket, held by libwebsockets while it is open */
    CS_SERVICE_BUFFER = 4096, /* of each loop */
    CS_HEADER_BYTES = 16384,  /* of one request, all headers together */
    CS_HEADER_PARTS = 80,     /* lines, and arguments of its query: libwebsockets would drop it at about 90 */
    CS_HEADER_ROOM = 3 * CS_HEADER_BYTES, /* what libwebsockets makes of them: it adds 8 to each it does not know */
    CS_PASSED_OVER_TIMES = 16, /* a message up to so many times too long is passed over and reported, not the end */
    CS_EDGE_BYTES = 256,       /* kept of its beginning, and of its end */
    CS_CODE_OWES_MOST = 4007,
    CS_BUDGET_STEP = 65536, /* a loop that has taken so much more looks at the budget */
    CS_ADDRESS_BYTES = INET6_ADDRSTRLEN,
    CS_FORWARDED_BYTES = 4096,
    CS_ACCEPTS_PER_TURN = 64,
    CS_SPARES = 16,    /* places beyond the limit of connections, for who asks how the server is */
    CS_REJECTIONS = 32, /* connections at once that are told why they are refused before they have said anything */
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
    size_t gone; /* of its bytes; more than 0 only of the first, whose next fragment comes before anything else */
};

struct cursor;
struct preflight;     /* preflight.c */
struct exchange; /* http.c */
struct partial;  /* receive.c */
struct tls_bridge;   /* tls_bridge.c */

struct conn {
    /* What a delivery looks at comes first, in as few lines of the cache as may be. */
    struct loop *loop;
    struct queued *queue, **queue_end; /* private frames, oldest first */
    struct cursor *cursors;            /* its places in logs */
    struct cursor **dirty;             /* those with something to send in this turn; there is room for all */
    uint32_t cursor_count, dirty_count;
    int fd;   /* of what libwebsockets reads and writes */
    int wire; /* of the peer's socket: the same, without TLS */
    enum cs_state state : 8;
    bool waiting : 1;  /* the socket took no more; the writable callback goes on */
    bool pinged : 1;
    bool proxy_header_due : 1;    /* a PROXY header comes first */
    bool identified : 1; /* as the one whom its proxies speak for */
    bool told : 1;     /* opened() was called and closed() was not */
    bool echo : 1;
    bool spare : 1; /* has one of the places beyond the limit */
    bool close_sent : 1;
    bool wants_behind : 1; /* some cursor is behind and its application was not told */
    uint16_t code;     /* for closed() */
    struct lws *wsi;
    uint64_t id;
    struct conn *wheel_next, **wheel_link;
    struct partial *partial;
    struct exchange *exchange;
    struct preflight *preflight;     /* until libwebsockets has the connection, and `wsi` is set */
    struct tls_bridge *bridge; /* with TLS, instead, and until the end */
    size_t queued_bytes;
    size_t cut_bytes; /* of the frame or fragment whose beginning is on the wire, with whoever sends the rest */
    uint32_t dirty_room;
    uint32_t late; /* its place, from 1, among its loop's; 0: none */
    uint64_t since;      /* ms: when the state was entered */
    uint64_t heard;      /* ms: when the peer was last heard */
    uint64_t progressed; /* ms: when `acked` last grew, while waiting */
    uint64_t acked;
    struct in6_addr address;
};

/* ---- writing (outbox.c) ---- */

/* Queues a frame of its own for the connection; closes it when it is over its limit. */
void cs_send(struct conn *conn, chatsock_frame *frame);
/* The same, after what libwebsockets has to say by itself: its pongs to what came before. */
void cs_send_after_pongs(struct conn *conn, chatsock_frame *frame);
void cs_queue(struct conn *conn, chatsock_frame *frame);
void cs_queue_free(struct conn *conn);
/* The rest of a frame that was cut is out, or gone. */
void cs_cut_settled(struct conn *conn);
/* Writes private frames, then what dirty cursors lack, as far as the socket takes it. */
void cs_pump(struct conn *conn);
/* The whole of one cursor's lack to a connection that has nothing else to get; the way of almost every delivery. */
void cs_pump_one(struct cursor *cursor);
void cs_writable(struct conn *conn);
/* Has it written to at the end of the turn. */
void cs_late(struct conn *conn);
void cs_not_late(struct conn *conn);
static inline bool cs_can_write(const struct conn *conn) {
    return !conn->waiting && (conn->state == CS_OPEN || conn->state == CS_CLOSING);
}

/* ---- loops ---- */

struct counters { /* written by the loop's thread, read by any */
    _Atomic uint64_t open, accepted, refused[CHATSOCK_REFUSED_REASONS], closed[CHATSOCK_CLOSED_KINDS], requests;
    _Atomic uint64_t frames_in, bytes_in, bytes_out, writes, deliveries, behind, stalled;
    _Atomic uint64_t private_bytes, partial_bytes, log_bytes, topics, behind_now, queued;
    _Atomic uint64_t cut_bytes, answer_bytes, shed;
    _Atomic uint64_t lag[CHATSOCK_LAG_RANGES], lag_ns;
    _Atomic uint64_t ticked; /* ns: when the loop last peeked at its clock */
};

static inline void cs_count(_Atomic uint64_t *counter, uint64_t more) { /* one writer: no locked instruction */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more, memory_order_relaxed);
}
#define CS_COUNT(loop, what, more) cs_count(&(loop)->counters.what, (uint64_t)(more))
/* Counts bytes that were taken, of one of the kinds that the budget is for. */
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
    uv_timer_t tick, release;
    bool open, can_wake; /* the loop, and `wake` */
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
    struct lates { /* connections to be written to */
        struct conn **conns;
        uint32_t count, room;
    } late;
    struct rejection *rejections;
    unsigned rejection_count;
    struct tls_bridge *parting; /* without a connection: their peers get what was said last */
    uint64_t bridges;
    unsigned turns; /* that sending was put off */
    uint64_t writing_ms; /* what a round of it took lately */
    bool fresh;     /* something was appended in this turn */
    bool held;      /* what is to be written waits for more */
    bool holding;   /* `release` was started since the last round */
    bool overdue;   /* and has come */
    bool told;      /* the application was told something, and not yet that this is all */
    bool spinning;

    struct conn *wheel[CS_WHEEL_SLOTS];
    uint64_t tick_ms, ticked;
    struct cs_clock clock;
    uint64_t stop_at; /* ms; 0: not stopping */
    bool destroying;
    uint64_t log_window; /* log.c's rate limit */
    unsigned log_lines, log_dropped;
    size_t grown;          /* bytes taken since it last peeked at the budget */
    bool has_shed;         /* memory is to be given back */
    bool over;             /* the server was over its budget at the last tick */
    uint64_t gave_back;    /* ms: when that was done last */
    _Atomic uint64_t most; /* no connection holds more bytes; some have held that since it last peeked. Any thread */
    _Atomic uint64_t handed; /* connections given to it that have not ended; any thread */
    struct counters counters;
};

struct cs_network { /* the first `bits` of an address */
    struct in6_addr address;
    unsigned bits;
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
    unsigned possible_connections; /* with the descriptors there are */
    atomic_uint connection_limit;
    struct loop *loops;
    unsigned loop_count;
    struct listener listener; /* on loop 0 */
    pthread_mutex_t lock;     /* `stopped`, `addresses` and `tls` */
    bool stopped;
    struct addresses *addresses;
    uint64_t spares[CS_SPARES]; /* who had those places last; loop 0's thread */
    unsigned next_spare;
    struct cs_network *trusted; /* proxies */
    size_t trusted_count;
    SSL_CTX *tls; /* NULL: plain; under `lock` */
    _Atomic uint64_t total_connections, partial_bytes;
    _Atomic uint64_t held; /* bytes that the application keeps and could make again */
    _Atomic bool pressed;  /* it was asked to, since the last tick */
    chatsock_frame *ping;
};

/* Milliseconds that the loop has been at work: what its deadlines go by. */
static inline uint64_t cs_now(struct loop *loop) {
    return cs_clock_now(&loop->clock, &loop->uv);
}
const struct lws_protocols *cs_protocols(void);
int cs_callback(struct lws *wsi, enum lws_callback_reasons why, void *user, void *in, size_t count);

/* loop.c */
int cs_loop_open(struct loop *loop, chatsock_server *server, unsigned index);
int cs_loop_start(struct loop *loop);
void cs_loop_close(struct loop *loop); /* after its thread has ended, or instead of starting it */
void cs_loop_begin_stop(struct loop *loop, uint64_t grace_ms);
void cs_loop_maybe_stopped(struct loop *loop);
/* What is to be written may wait for more, until the next round of writing or cs_loop_uncork(). */
void cs_loop_cork(struct loop *loop);
void cs_loop_uncork(struct loop *loop);
/* command.c */
void cs_commands_run(struct loop *loop);
void cs_commands_drop(struct loop *loop);
bool cs_command_adopt(struct loop *loop, int fd, const struct in6_addr *address);
void cs_command_stop(struct loop *loop, unsigned grace_ms);
void cs_command_shed(struct loop *loop);

/* connection.c */
enum cs_place_kind { CS_ORDINARY, CS_SPARE };
/* The number of the new connection; 0: there is none, and the descriptor is closed. */
uint64_t cs_adopt(struct loop *loop, int fd, const struct in6_addr *address, enum cs_place_kind kind);
/* Gives the connection to libwebsockets. */
void cs_hand_over(struct conn *conn);
struct conn *cs_find(struct loop *loop, uint64_t id);
void cs_close(struct conn *conn, uint16_t code, const char *reason);
void cs_kill(struct conn *conn);
/* No more is written or told; what it held is freed. The struct stays until cs_conn_free(). */
void cs_conn_gone(struct conn *conn, uint16_t code);
void cs_conn_free(struct conn *conn);
/* Takes a connection off the books of the server. */
void cs_connection_left(struct loop *loop, const struct in6_addr *address, enum cs_place_kind kind);
void cs_enter(struct conn *conn, enum cs_state state);
struct refusal {
    unsigned status; /* 0: welcome */
    chatsock_refusal why;
    const char *header; /* or NULL */
    const char *text;
};
/* The connection is not the proxy's but that of `address`. */
struct refusal cs_readdress(struct conn *conn, const struct in6_addr *address);
/* Whether somebody in a spare place asks for something else than how the server is. */
struct refusal cs_refuse_spare(const struct conn *conn, const char *path);
/* Who it is by what its trusted proxies say in the header. */
struct refusal cs_identify(struct conn *conn);
static inline struct loop *cs_loop_of(const chatsock_server *server, uint64_t id) {
    return id >> 56 < server->loop_count ? &server->loops[id >> 56] : NULL;
}

/* budget.c */
uint64_t cs_budget_used(const chatsock_server *server);
/* Sheds when the server is over its budget. */
void cs_budget_look(struct loop *loop);
/* Some other loop has found this one to hold what is to go. */
void cs_budget_shed(struct loop *loop);
void cs_budget_turn(struct loop *loop);
/* The connection has come to hold so much. */
static inline void cs_budget_owes(struct loop *loop, size_t bytes) {
    if (bytes > atomic_load_explicit(&loop->most, memory_order_relaxed))
        atomic_store_explicit(&loop->most, bytes, memory_order_relaxed);
}
static inline void cs_budget_mind(struct loop *loop) {
    if (loop->grown >= CS_BUDGET_STEP)
        cs_budget_look(loop);
}

/* look.c */
void cs_peek(struct loop *loop, uint64_t id, uint64_t ticket);

/* wheel.c: one coarse look at each connection now and then */
void cs_wheel_put(struct conn *conn, uint64_t at_ms);
void cs_wheel_remove(struct conn *conn);
void cs_wheel_turn(struct loop *loop);

/* progress.c: bytes the peer's kernel has taken since the connection began */
uint64_t cs_bytes_acknowledged(int fd);

/* listen.c */
chatsock_error cs_listener_bind(chatsock_server *server, int *detail);
int cs_listener_open(chatsock_server *server);
void cs_listener_close(chatsock_server *server);
void cs_listener_resume(chatsock_server *server);

/* address.c (any thread) */
void cs_address_text(const struct in6_addr *address, char text[CS_ADDRESS_BYTES]);
struct in6_addr cs_address_of(const struct sockaddr_storage *peer);
bool cs_addresses_make(chatsock_server *server);
enum cs_admission { CS_WELCOME, CS_TOO_MANY, CS_TOO_FAST };
/* Counts a connection that begins, unless it is refused; `now` in ms. */
enum cs_admission cs_address_enter(chatsock_server *server, const struct in6_addr *address, uint64_t now);
void cs_address_left(chatsock_server *server, const struct in6_addr *address);
void cs_addresses_free(chatsock_server *server);

/* proxy.c */
bool cs_network_read(const char *text, struct cs_network *network);
bool cs_trusted_make(chatsock_server *server);
bool cs_is_trusted(const chatsock_server *server, const struct in6_addr *address);
/* Goes back through what trusted proxies have added to `list`, which is changed, to whom they speak for. False: one of them
   says nothing that can be read. */
bool cs_forwarded_for(const chatsock_server *server, char *list, struct in6_addr *address);
/* How long a PROXY header is, and what it says; 0: not whole, -1: it is none, or speaks for somebody without an address.
   `*known`: it names an address; else the proxy speaks for itself. */
ssize_t cs_proxy_parse(const uint8_t *bytes, size_t count, struct in6_addr *address, bool *known);

/* rejection.c: takes over the descriptor */
void cs_reject(struct loop *loop, int fd, unsigned status, const char *text);
void cs_rejections_turn(struct loop *loop);

/* tls.c (any thread) */
bool cs_tls_make(chatsock_server *server);
SSL *cs_tls_new(chatsock_server *server);
void cs_tls_free(chatsock_server *server);

/* tls_bridge.c: false when there is no memory */
bool cs_tls_bridge_open(struct conn *conn);
/* libwebsockets has the connection. */
bool cs_tls_bridge_is_open(const struct tls_bridge *bridge);
/* Before that: closes the socket and frees the connection, soon. */
void cs_tls_bridge_close(struct conn *conn);
/* The connection is about to be freed; what was said last goes out, and the books of the server are kept, without. */
void cs_tls_bridge_part(struct conn *conn);
void cs_tls_bridges_turn(struct loop *loop);
/* Before libwebsockets has the connection. */
void cs_tls_bridge_say(struct tls_bridge *bridge, const void *bytes, size_t count);
/* How many bytes it has taken, less than there are when the peer takes no more for now; -1: the connection is broken. */
ssize_t cs_tls_bridge_send(struct tls_bridge *bridge, const struct iovec *parts, size_t count);
/* Keeps the rest of a frame that was cut. */
void cs_tls_bridge_keep(struct tls_bridge *bridge, const uint8_t *rest, size_t count);
/* What waits for the peer is thrown away, and it hears nothing more. */
void cs_tls_bridge_forsake(struct tls_bridge *bridge);
/* Calls cs_writable() once everything is out. */
void cs_tls_bridge_wait(struct tls_bridge *bridge);

/* preflight.c: false when there is no memory */
bool cs_preflight_open(struct conn *conn);
void cs_preflight_close(struct conn *conn); /* closes the socket and frees the connection, soon */
/* Throws away what has come, as far as that is not too much; true when there will be no more. A socket that is closed
   with input unread resets what was sent. */
bool cs_discard(int fd);

/* request_header.c: what is known of a request's header so far; all 0 at first */
struct cs_header {
    uint32_t line, seen; /* where the first line begins that is not whole, and how far its end was peeked for */
    uint16_t parts; /* lines and arguments */
    uint8_t hosts;
    bool old, ended; /* HTTP/1.0; the empty line is there */
    const char *objection; /* the first, or NULL */
};
/* `count` bytes of it have come by now, those of last time among them. True: what is to be done with it is known. */
bool cs_check_header(struct cs_header *header, const char *bytes, size_t count, struct refusal *refusal);

/* request_target.c */
/* The method and the path of a whole header, as they were sent. */
struct refusal cs_check_target(const char *header, size_t count);
/* NULL: the request may come from there; else what to answer with 403. */
const char *cs_objection_to_origin(const struct conn *conn);

/* handshake.c */
int cs_confirm_upgrade(struct conn *conn, bool may_answer);
void cs_open(struct conn *conn);

/* answer.c (any thread): NULL when out of memory */
struct answer { /* what goes on the wire: a header, then a body */
    size_t header, size;
    uint8_t bytes[];
};
struct answer *cs_answer_copy(const chatsock_server *server, const chatsock_response *response);
/* A line of plain text; `header` is one more line, or NULL. */
struct answer *cs_answer_status(const chatsock_server *server, unsigned status, const char *header, const char *text);
void cs_answer_free(struct answer *answer);

/* http.c */
int cs_http_request(struct conn *conn);
int cs_http_body(struct conn *conn, const void *in, size_t count);
int cs_http_body_end(struct conn *conn);
void cs_http_respond(struct conn *conn, struct answer *answer); /* takes the answer */
void cs_http_answer_status(struct conn *conn, unsigned status, const char *text);
void cs_exchange_free(struct conn *conn);
size_t cs_exchange_held(const struct conn *conn);
/* Writes a whole small response at once; the caller then ends the connection. */
void cs_http_refuse(struct conn *conn, unsigned status, const char *header, const char *text);

/* receive.c */
int cs_receive(struct conn *conn, const uint8_t *bytes, size_t count);
int cs_peer_closes(struct conn *conn, const uint8_t *bytes, size_t count);
void cs_partial_free(struct conn *conn);
size_t cs_partial_held(const struct conn *conn);

/* logging.c */
/* Says which loop this thread runs; cs_is_current() is true for it. */
void cs_set_current(struct loop *loop);
bool cs_is_current(const struct loop *loop);

#endif
