/* The server, its loops, and the constants of both. Each field belongs to its loop's thread unless a comment says
   otherwise. */
#ifndef CS_LOOP_H
#define CS_LOOP_H

#include "conn/conn.h"
#include "shared/clock.h"

#include <openssl/ssl.h>
#include <pthread.h>

#define CS_ALLOW "allow: GET, HEAD, POST, PUT, DELETE, OPTIONS"
#define CS_TEXT_METHODS "The methods here are GET, HEAD, POST, PUT, DELETE and OPTIONS.\n"
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
    CS_EDGE_BYTES = 256, /* kept of the beginning of such a message, and of its end */
    CS_CODE_LARGEST_DEBT = 4007,
    CS_BUDGET_STEP = 65536, /* a loop that holds this much more checks the budget */
    CS_CONN_BYTES = 4096, /* counted for each connection, here, in libwebsockets and in the application */
    CS_TLS_CONN_BYTES = 45056,
    CS_READER_BYTES = 2048, /* counted for each list that a connection reads, here and in the application */
    CS_PIECE_BYTES = 65536, /* of a file, in memory at a time */
    CS_PROGRESS_BYTES = 16384, /* of a file that is received or sent, which must get through within stall_ms */
    CS_FORWARDED_BYTES = 4096,
    CS_ACCEPTS_PER_TURN = 64,
    CS_SPARES = 16, /* places beyond the limit of connections, for health checks */
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
#define CS_CHARGE(loop, what, more) (CS_COUNT(loop, what, more), cs_loop_charge(loop, (size_t)(more)))

/* ---- the parts of a loop: each belongs to the files that its comment names ---- */

struct submission;

struct inbox { /* private to inbox.c; under `lock`: any thread */
    pthread_mutex_t lock;
    struct submission *first, **end;
    struct submission *stop; /* made in advance: a loop that could not be stopped would be joined for ever */
    bool closed; /* no more commands enter it */
};

struct slot { /* private to conn.c */
    struct conn *conn; /* owned */
    uint32_t generation;
};

struct slots { /* private to conn.c */
    struct slot *all;
    uint32_t count, capacity, *free_slots, free_count;
};

struct wheel { /* private to conn.c */
    struct conn *slots[CS_WHEEL_SLOTS];
    uint64_t ticked;
};

struct topics { /* private to topic.c, fanout.c */
    struct topic **chains; /* owned, as are the topics */
    size_t count, size;
    struct topic *dirty; /* those with new frames */
    bool appended; /* something was appended in this turn */
};

struct flush_list { /* private to queue.c: connections to write to at the end of the turn */
    struct conn **conns;
    uint32_t count, room;
};

struct cork { /* private to fanout.c */
    uv_timer_t timer;
    unsigned put_off_turns; /* for which sending was put off */
    uint64_t writing_ms; /* the recent duration of a round of writing */
    bool corked; /* writing waits for more */
    bool started; /* the timer was started since the last round */
    bool expired; /* and has fired since then */
};

struct rejections { /* private to reject.c */
    struct rejection *first;
    unsigned count;
};

struct bridges { /* private to tls_bridge.c, tls_accept.c */
    struct tls_bridge *detached; /* those without a connection: their peers still get the last bytes */
    uint64_t count;
};

struct log_limit { /* private to logging.c */
    uint64_t window;
    unsigned lines, dropped;
};

struct budget { /* private to budget.c */
    size_t grown; /* bytes charged since the budget was last checked */
    bool has_shed; /* freed memory is to be returned to the system */
    bool was_over; /* the server was over its budget at the last tick */
    uint64_t trimmed_at; /* ms: when memory was last returned to the system */
    _Atomic uint64_t largest; /* upper bound of the bytes that one connection of the loop holds. Any thread */
};

struct loop_handles { /* private to loop.c */
    uv_prepare_t prepare;
    uv_check_t check;
    uv_idle_t spin;
    uv_timer_t tick;
    bool spinning;
};

struct loop {
    chatsock_server *server;
    unsigned index;
    uv_loop_t uv;
    uv_async_t wake; /* any thread may send it while the inbox is open */
    struct loop_handles handles;
    bool open, can_wake; /* the loop is initialised, and so is `wake` */
    struct lws_context *lws;
    struct lws_vhost *vhost;
    struct pipe pipe;
    pthread_t thread;
    bool started;

    struct inbox inbox;
    struct slots slots;
    struct topics topics;
    struct flush_list to_flush;
    struct cork cork;
    struct rejections rejections;
    struct bridges bridges;
    struct wheel wheel;
    struct log_limit log_limit;
    struct budget budget;
    bool events_reported; /* the application got events, and no turn_ended() since */

    uint64_t tick_ms;
    struct cs_clock clock;
    uint64_t stop_at; /* ms; 0: not stopping */
    bool destroying;
    _Atomic uint64_t assigned; /* connections given to the loop that have not ended. Any thread */
    struct counters counters;
};

struct listener { /* private to listen.c */
    int fd;
    uv_poll_t poll;
    bool open, paused;
    uint64_t spares[CS_SPARES]; /* the connections that took these places last */
    unsigned next_spare;
};

struct chatsock_server {
    chatsock_config config; /* owns copies of all strings */
    chatsock_events events;
    void *ctx; /* the application's, until released() */
    uint16_t port;
    unsigned possible_connections; /* as the descriptor limit allows */
    atomic_uint connection_limit;
    struct loop *loops;
    unsigned loop_count;
    struct listener listener; /* on loop 0 */
    pthread_mutex_t lock; /* `stopped` and `tls` */
    bool stopped;
    struct addresses *addresses;
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
static inline struct loop *cs_server_find_loop(const chatsock_server *server, uint64_t id) { /* any thread */
    return id >> 56 < server->loop_count ? &server->loops[id >> 56] : NULL;
}

/* ---- what the budget counts ---- */

static inline void cs_loop_charge(struct loop *loop, size_t more) {
    loop->budget.grown += more;
}
/* The bytes that wait for the connection or are kept for the lists that it reads. */
static inline size_t cs_conn_count_unread(const struct conn *conn) {
    return conn->output.queued_bytes + conn->output.cut_bytes + conn->reading.cursor_count * (size_t)CS_READER_BYTES;
}
static inline size_t cs_conn_count_cut(const struct conn *conn) {
    return conn->output.cut_bytes;
}
/* Raises the loop's upper bound when the connection now holds these and `more`. */
static inline void cs_budget_raise_largest(const struct conn *conn, size_t more) {
    size_t bytes = cs_conn_count_unread(conn) + more;
    if (bytes > atomic_load_explicit(&conn->loop->budget.largest, memory_order_relaxed))
        atomic_store_explicit(&conn->loop->budget.largest, bytes, memory_order_relaxed);
}

#endif
