/* The server and its loops. What is declared here belongs to one loop's thread unless a comment says otherwise. */
#ifndef CS_SERVER_H
#define CS_SERVER_H

#include "conn.h"
#include "tls.h"
#include "topic.h"

#include <pthread.h>

#define CS_ALLOW "allow: GET, HEAD, POST, OPTIONS"
#define CS_TEXT_METHODS "The methods here are GET, HEAD, POST and OPTIONS.\n"
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
    CS_CODE_LARGEST_DEBT = 4007,
    CS_BUDGET_STEP = 65536, /* a loop that holds this much more checks the budget */
    CS_CONN_BYTES = 4096,   /* counted for each connection, here, in libwebsockets and in the application */
    CS_TLS_CONN_BYTES = 45056,
    CS_READER_BYTES = 2048, /* counted for each list that a connection reads, here and in the application */
    CS_FORWARDED_BYTES = 4096,
    CS_ACCEPTS_PER_TURN = 64,
    CS_SPARES = 16,    /* places beyond the limit of connections, for health checks */
    CS_REJECTIONS = 32, /* connections at a time that get an answer when they are refused at once */
};

struct counters { /* written by the loop's thread, read by any */
    _Atomic uint64_t open, accepted, refused[CHATSOCK_REFUSED_REASONS], closed[CHATSOCK_CLOSED_KINDS], requests;
    _Atomic uint64_t frames_in, bytes_in, bytes_out, writes, deliveries, behind, stalled;
    _Atomic uint64_t private_bytes, partial_bytes, log_bytes, topics, readers, behind_now;
    _Atomic uint64_t cut_bytes, answer_bytes, shed;
    _Atomic uint64_t queued, queued_bytes; /* commands in the inbox. Written by any thread */
    _Atomic uint64_t lag[CHATSOCK_LAG_RANGES], lag_ns;
    _Atomic uint64_t ticked; /* ns: when the loop last read its clock */
};

static inline void cs_counter_add(_Atomic uint64_t *counter, uint64_t more) { /* one writer: no locked instruction */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more, memory_order_relaxed);
}
#define CS_COUNT(loop, what, more) cs_counter_add(&(loop)->counters.what, (uint64_t)(more))
/* Counts bytes of a kind that the budget limits. */
#define CS_CHARGE(loop, what, more) (CS_COUNT(loop, what, more), (loop)->grown += (size_t)(more))

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
    bool inbox_closed; /* no more commands enter it */

    struct slot *slots;
    uint32_t slot_count, slot_capacity, *free_slots, free_count;
    struct topics topics;
    struct topic *dirty;
    struct flush_list { /* connections to write to at the end of the turn */
        struct conn **conns;
        uint32_t count, room;
    } to_flush;
    struct rejection *rejections;
    unsigned rejection_count;
    struct tls_bridge *detached; /* bridges without a connection: their peers still get the last bytes */
    uint64_t bridges;
    unsigned put_off_turns; /* for which sending was put off */
    uint64_t writing_ms; /* the recent duration of a round of writing */
    bool appended;           /* something was appended in this turn */
    bool corked;          /* writing waits for more */
    bool cork_started;    /* `cork_timer` was started since the last round */
    bool cork_expired;    /* and has fired since then */
    bool events_reported; /* the application got events, and no turn_ended() since */
    bool spinning;

    struct conn *wheel[CS_WHEEL_SLOTS];
    uint64_t tick_ms, ticked;
    struct cs_clock clock;
    uint64_t stop_at; /* ms; 0: not stopping */
    bool destroying;
    uint64_t log_window; /* for the rate limit in logging.c */
    unsigned log_lines, log_dropped;
    size_t grown;          /* bytes charged since the budget was last checked */
    bool has_shed;         /* freed memory is to be returned to the system */
    bool was_over;             /* the server was over its budget at the last tick */
    uint64_t trimmed_at;    /* ms: when memory was last returned to the system */
    _Atomic uint64_t largest; /* upper bound of the bytes that one connection of the loop holds. Any thread */
    _Atomic uint64_t assigned; /* connections given to the loop that have not ended. Any thread */
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
    _Atomic bool pressure_reported; /* over_budget() was called since the last tick */
    chatsock_frame *ping;
};

/* The milliseconds that the loop has been able to read. All its deadlines use this time. */
static inline uint64_t cs_loop_now(struct loop *loop) {
    return cs_clock_now(&loop->clock, &loop->uv);
}
static inline struct loop *cs_server_find_loop(const chatsock_server *server, uint64_t id) {
    return id >> 56 < server->loop_count ? &server->loops[id >> 56] : NULL;
}

/* callback.c */
const struct lws_protocols *cs_server_protocols(void);

/* loop.c */
int cs_loop_open(struct loop *loop, chatsock_server *server, unsigned index);
int cs_loop_start(struct loop *loop);
void cs_loop_close(struct loop *loop); /* after its thread has ended, or instead of starting it */

/* cork.c */
/* Lets writing wait for more, until the next round of writing or cs_loop_uncork(). */
void cs_loop_cork(struct loop *loop);
void cs_loop_uncork(struct loop *loop);

/* command.c */
void cs_loop_run_commands(struct loop *loop);

/* inbox.c: commands of our own for a loop. Any thread. False: the loop has stopped, or there is no memory */
bool cs_inbox_enqueue_adopt(struct loop *loop, int fd, const struct in6_addr *address);
void cs_inbox_enqueue_stop(struct loop *loop, unsigned grace_ms);
void cs_inbox_enqueue_shed(struct loop *loop);

/* budget.c */
uint64_t cs_budget_used(const chatsock_server *server);
/* Sheds when the server is over its budget. */
void cs_budget_check(struct loop *loop);
/* Sheds because another loop found that this one has the connection that holds most. */
void cs_budget_shed(struct loop *loop);
void cs_budget_tick(struct loop *loop);
/* The bytes that wait for the connection or are kept for the lists that it reads. */
static inline size_t cs_budget_count_unread(const struct conn *conn) {
    return conn->queued_bytes + conn->cut_bytes + conn->cursor_count * (size_t)CS_READER_BYTES;
}
/* Notes that a connection now holds these and `more`. */
static inline void cs_budget_raise_largest(const struct conn *conn, size_t more) {
    size_t bytes = cs_budget_count_unread(conn) + more;
    if (bytes > atomic_load_explicit(&conn->loop->largest, memory_order_relaxed))
        atomic_store_explicit(&conn->loop->largest, bytes, memory_order_relaxed);
}
static inline void cs_budget_check_growth(struct loop *loop) {
    if (loop->grown >= CS_BUDGET_STEP)
        cs_budget_check(loop);
}

/* peek.c */
void cs_conn_report_backlog(struct loop *loop, uint64_t id, uint64_t ticket);

/* listen.c */
chatsock_error cs_listener_bind(chatsock_server *server, int *detail);
int cs_listener_open(chatsock_server *server);
void cs_listener_close(chatsock_server *server);
void cs_listener_resume(chatsock_server *server);

/* reject.c: becomes the owner of the descriptor */
void cs_rejection_open(struct loop *loop, int fd, unsigned status, const char *text);
void cs_rejections_tick(struct loop *loop);

/* discard.c: discards input, up to a limit. Returns true when no more will come. */
bool cs_socket_discard_input(int fd);

/* logging.c */
/* Sets the loop that this thread runs; cs_loop_is_current() is true for it. */
void cs_loop_set_current(struct loop *loop);
bool cs_loop_is_current(const struct loop *loop);
/* Logs that a peer is refused because it and this server, or a proxy between them, are set up for different protocols:
   the peer's people may not see the answer. */
void cs_conn_log_refusal(const struct conn *conn, const char *text);
/* Logs that a web page was refused, with its origin: its developer may not see the answer. */
void cs_conn_log_origin(const struct conn *conn, const char *origin, const char *text);

#endif
