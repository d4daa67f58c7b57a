/*
 * chatsocket: a WebSocket server made for fan-out, and a client, over
 * libwebsockets and libuv. This header is the wall: nothing of either library
 * shows through it.
 *
 * Threads. A server has N loops, a thread each; everything about a connection
 * happens on its loop. Every event is called on a loop's thread, must copy
 * what it wants to keep, must not block, and must not call chatsock_stop().
 * Every function may be called from any thread, also from inside an event:
 * it puts commands on the loop's queue and returns. Commands from one thread
 * to one loop keep their order.
 *
 * Names. Connections and requests are numbers, never pointers, and a number
 * is not used again for a very long time. What is sent to a number that is
 * unknown or closed is ignored.
 */
#ifndef CHATSOCKET_H
#define CHATSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct chatsock_server chatsock_server;
typedef struct chatsock_client chatsock_client;

/* ---- frames ----------------------------------------------------------- */

/* One text message with its header, made once, never changed, counted (atomically). Any thread. */
typedef struct chatsock_frame chatsock_frame;

/* A frame with one reference, which the caller owns; `text` is copied. NULL when out of memory. */
chatsock_frame *_Nullable chatsock_frame_text(const uint8_t *_Nullable text, size_t count);
/* The same as `whole`, whose text is `count` bytes or longer, up to there, and then `end`. `end` is copied. So is what
   comes before it if that is short; else it is shared, and `whole` lives until this one is released, too. */
chatsock_frame *_Nullable chatsock_frame_ending(chatsock_frame *whole, size_t count, const uint8_t *end,
                                                size_t end_count);
/* Nanoseconds that never go back. */
uint64_t chatsock_clock(void);
/* Says since when, by chatsock_clock(), what the frame tells was there to be told. Before it is given to anybody. */
void chatsock_frame_stamp(chatsock_frame *frame, uint64_t since);
void chatsock_frame_retain(chatsock_frame *frame);
void chatsock_frame_release(chatsock_frame *frame);
/* Bytes on the wire, header included. */
size_t chatsock_frame_size(const chatsock_frame *frame);
/* Bytes of its text, and these: `to` has room for so many. */
size_t chatsock_frame_text_size(const chatsock_frame *frame);
void chatsock_frame_copy_text(const chatsock_frame *frame, uint8_t *to);

/* ---- server ----------------------------------------------------------- */

/* What is known of a connection when it opens. Strings are borrowed until the event returns; NULL is "not sent". */
typedef struct {
    const char *address; /* numeric, IPv4 never as ::ffff:a.b.c.d; behind trusted proxies that of whom they speak for */
    const char *path;
    const char *_Nullable origin;
    const char *_Nullable authorization;
    const char *_Nullable subprotocol; /* as agreed */
    const char *_Nullable forwarded_for;
} chatsock_peer;

/* A complete plain HTTP request. Borrowed until the event returns. */
typedef struct {
    const char *address;
    const char *method; /* GET, HEAD or POST */
    const char *path;
    const char *_Nullable query; /* as sent, not decoded */
    const char *_Nullable authorization;
    const char *_Nullable if_none_match;
    const char *_Nullable content_type;
    const char *_Nullable accept;
    const char *_Nullable idempotency_key;
    const char *_Nullable origin;
    const char *_Nullable forwarded_for;
    const uint8_t *_Nullable body;
    size_t body_count;
} chatsock_request;

/* A text message of more than max_frame_bytes, and of 16 times as many at most: it was not kept, nor is known to be UTF-8.
   Borrowed until the event returns. */
typedef struct {
    const uint8_t *start; /* its first 256 bytes */
    size_t start_count;
    const uint8_t *end; /* its last 256, or as many as come after those */
    size_t end_count;
    size_t size;
} chatsock_oversized;

/* What a connection has yet to get. */
typedef struct {
    size_t unsent_bytes;   /* queued for it, and in logs that it reads */
    unsigned lists_behind; /* logs that it fell off */
    uint64_t waiting_ms;   /* since its socket last took anything, while there is something */
} chatsock_backlog;

typedef struct {
    /* A WebSocket is open; balanced by one closed(). */
    void (*opened)(void *_Nullable ctx, uint64_t conn, const chatsock_peer *peer);
    /* A complete text message of valid UTF-8. `bytes` is borrowed: copy it before returning. `count` may be 0. */
    void (*received)(void *_Nullable ctx, uint64_t conn, const uint8_t *_Nullable bytes, size_t count);
    /* Instead of received(). A message that is longer still ends its connection with 1009. */
    void (*oversized)(void *_Nullable ctx, uint64_t conn, const chatsock_oversized *message);
    /* The reader fell off the log of `topic`; the last whole frame it was given was of `revision`. It gets nothing
       more of the topic until it is attached again. Once for each time it falls off. */
    void (*behind)(void *_Nullable ctx, uint64_t conn, uint64_t topic, uint64_t revision);
    /* Once for each opened(). The code of whoever closed first; 1005 without one, 1006 when the connection broke. */
    void (*closed)(void *_Nullable ctx, uint64_t conn, uint16_t code);
    /* The loop has told all that it knows for now: once after one or more received(), oversized(), behind() and closed() of it, before
       it writes or sleeps. */
    void (*turn_ended)(void *_Nullable ctx, unsigned loop);
    /* Answer with chatsock_respond() within the request limit, or it is answered with 503. */
    void (*request)(void *_Nullable ctx, uint64_t request, const chatsock_request *what);
    /* The answer to chatsock_peek(). `backlog` is borrowed; all 0 for a connection that is gone. */
    void (*peeked)(void *_Nullable ctx, uint64_t ticket, uint64_t conn, const chatsock_backlog *backlog);
    /* The budget is used up, and some of it is chatsock_hold()'s: let go of that. On a loop's thread. */
    void (*pressed)(void *_Nullable ctx);
    /* One line of what libwebsockets complains of: printable ASCII, rate limited. Borrowed. */
    void (*log)(void *_Nullable ctx, const char *line);
    /* The last call ever made with `ctx`. Made exactly once, also when chatsock_listen() fails. */
    void (*released)(void *_Nullable ctx);
} chatsock_events;

/* All strings are borrowed until chatsock_listen() returns. Start from chatsock_defaults(). */
typedef struct {
    const char *host; /* an address, or a name that resolves to one */
    uint16_t port;    /* 0: any free one, see chatsock_port() */
    unsigned loops;
    size_t max_frame_bytes;        /* a text message from a peer, fragments together */
    unsigned max_fragments;        /* of one message */
    size_t max_partial_bytes;      /* unfinished messages of all connections together */
    unsigned max_connections;      /* 0: what the descriptor limit allows, minus a reserve */
    const char *_Nonnull const *_Nullable vital_paths; /* GET and HEAD of them are answered beyond that, too */
    size_t vital_count;
    unsigned max_per_address;      /* 0: no limit. An address is a /64 network, in IPv6 */
    unsigned handshakes_per_second; /* of an address, in the long run; five seconds' worth at once. 0: no limit */
    bool limits_loopback;          /* both of these hold for this machine's own addresses, too */
    const char *_Nonnull const *_Nullable trusted; /* proxies: addresses, or networks as 10.0.0.0/8 */
    size_t trusted_count;
    bool proxy_protocol; /* whoever is trusted begins with a PROXY header */
    size_t max_body_bytes;         /* of an HTTP request */
    size_t max_private_bytes;      /* unsent private bytes of one connection at which the next frame closes it */
    size_t log_bytes;              /* kept for slow readers, for each topic and loop */
    size_t memory_budget;          /* all that waits for peers or has come in part, of all together; 0: no limit */
    unsigned heartbeat_ms;         /* silence after which a peer is pinged */
    unsigned heartbeat_grace_ms;   /* further silence after which it is closed */
    unsigned stall_ms;             /* without progress while data waits */
    unsigned close_ms;             /* for the peer to answer a close */
    unsigned request_ms;           /* for an HTTP body to arrive, and again for its answer */
    unsigned header_ms;            /* for a request's header to arrive: at most 16 KB, 80 lines and arguments */
    const char *_Nullable echo_path;
    size_t max_echo_bytes;         /* a message there, in any fragments */
    const char *_Nullable certificate; /* PEM file with the chain, the server's first; NULL: no TLS */
    const char *_Nullable key;         /* PEM file, without a password */
    const char *_Nonnull const *_Nullable origins; /* NULL: the peer's own Host; "*": any. Who sends none may connect */
    size_t origin_count;
    bool only_loopback_hosts; /* a Host is a name of loopback, or of a listed origin; who sends none may ask */
} chatsock_config;

chatsock_config chatsock_defaults(void);

typedef enum {
    CHATSOCK_OK = 0,
    CHATSOCK_BAD_ADDRESS,   /* the host does not resolve or is not of this machine */
    CHATSOCK_PORT_IN_USE,
    CHATSOCK_NOT_PERMITTED, /* a port below 1024, usually */
    CHATSOCK_BAD_CERTIFICATE, /* chatsock_certificate_is_usable() says why */
    CHATSOCK_NO_PLUGIN,     /* libwebsockets could not start on libuv: libwebsockets-evlib-uv is missing */
    CHATSOCK_SYSTEM,        /* anything else; `detail` is an errno */
} chatsock_error;

/* Starts listening and all threads. On failure returns NULL and says why; ctx is released then, too. The result is
   owned by the caller: chatsock_stop(), then chatsock_free(). */
chatsock_server *_Nullable chatsock_listen(const chatsock_config *config, const chatsock_events *events,
                                           void *_Nullable ctx, chatsock_error *error, int *detail);
/* Whether it is an address, or a network as 10.0.0.0/8. */
bool chatsock_is_network(const char *text);
/* Whether the two files are there and belong together; else `why` says what is wrong, in at most `size` bytes. */
bool chatsock_certificate_is_usable(const char *certificate, const char *key, char *why, size_t size);
/* Reads both files again for those who connect from now on; nobody is dropped. False, with `why`: the last stay. */
bool chatsock_reload_certificate(chatsock_server *server, char *why, size_t size);
/* Whether the calling thread runs a loop, of any server or client: nothing may wait there. */
bool chatsock_is_on_loop(void);
uint16_t chatsock_port(const chatsock_server *server);
unsigned chatsock_loop_count(const chatsock_server *server);

typedef enum {
    /* Sends `frame` to `conn`. */
    CHATSOCK_SEND,
    /* Sends `frame` (may be NULL) to `conn` and makes it a reader of what is appended to `topic` from now on. Its place is
       `revision`: what `behind` reports when it falls off before it has got anything. Again: starts over. */
    CHATSOCK_ATTACH,
    CHATSOCK_DETACH,
    /* Appends `frame` to the loop's log of `topic`: copied there once, dropped when nobody there reads it. Who has it holds
       `revision`. */
    CHATSOCK_APPEND,
    /* What is appended next does not follow what is there: every reader of `topic` on the loop falls off, with behind(). */
    CHATSOCK_CUT,
    /* Sends what is queued for `conn`, then `frame` (may be NULL), then a close frame with `code` and `reason`, which is cut
       to 123 bytes between characters; nothing comes in between. Nothing is received any more, and no longer than
       close_ms. */
    CHATSOCK_CLOSE,
} chatsock_command_kind;

/* A command for a loop. `conn` must be on that loop, whose number is the first byte of `conn`. */
typedef struct {
    chatsock_command_kind kind;
    uint16_t code;
    uint64_t conn, topic, revision;
    chatsock_frame *_Nullable frame;
    const char *_Nullable reason;
} chatsock_command;

/* Submits `commands` to a loop, which runs all of them, in order, before it writes to sockets. Wakes the loop at most
   once. Copies everything; retains frames. `more` corks the appended frames, so that they leave together with those that
   are appended next. A submission without commands uncorks. The cork lasts a millisecond at most, or four times the
   duration of the last round of writing, but never longer than 20 ms. */
void chatsock_submit(chatsock_server *server, unsigned loop, const chatsock_command *_Nullable commands, size_t count,
                     bool more);

/* The application keeps so many more bytes, or with a negative number fewer, that count against the budget and that it can
   let go of at once. */
void chatsock_hold(chatsock_server *server, int64_t more);

/* Has peeked() called for the connection, also for one that is gone, unless its loop has stopped. */
void chatsock_peek(chatsock_server *server, uint64_t conn, uint64_t ticket);

typedef struct {
    unsigned status;
    const char *_Nonnull const *_Nullable headers; /* "name: value", without content-length and connection */
    size_t header_count;
    const uint8_t *_Nullable body;
    size_t body_count;
} chatsock_response;

/* Everything is copied. The connection ends when it is sent. */
void chatsock_respond(chatsock_server *server, uint64_t request, const chatsock_response *response);

/* From now on no more than `max_connections`, as in the configuration. Who is connected stays. */
void chatsock_limit_connections(chatsock_server *server, unsigned max_connections);
/* Closes the listening socket; connections stay. */
void chatsock_stop_accepting(chatsock_server *server);
/* Closes everybody with 1001, waits at most about `grace_ms`, joins all threads, releases ctx. Every function stays
   callable until chatsock_free() and does nothing. Not from inside an event. Again: does nothing. */
void chatsock_stop(chatsock_server *server, unsigned grace_ms);
/* Stops if need be and frees. From inside an event it returns at once and does so on a thread of its own. */
void chatsock_free(chatsock_server *server);

/* Why connections were refused: index of chatsock_stats.refused. */
typedef enum {
    CHATSOCK_REFUSED_FULL, CHATSOCK_REFUSED_ADDRESS, CHATSOCK_REFUSED_HANDSHAKE, CHATSOCK_REFUSED_ORIGIN,
    CHATSOCK_REFUSED_PATH, CHATSOCK_REFUSED_TLS,
    CHATSOCK_REFUSED_RATE, CHATSOCK_REFUSED_PROXY, CHATSOCK_REFUSED_REASONS
} chatsock_refusal;

/* Index of chatsock_stats.closed. */
typedef enum {
    CHATSOCK_CLOSED_NORMAL,   /* 1000, 1001, 1005 */
    CHATSOCK_CLOSED_BROKEN,   /* 1006 */
    CHATSOCK_CLOSED_PROTOCOL, /* 1002, 1003, 1007, 1008, 1009, 1010 */
    CHATSOCK_CLOSED_SLOW,     /* 4002 */
    CHATSOCK_CLOSED_SILENT,   /* 4000 */
    CHATSOCK_CLOSED_OTHER,
    CHATSOCK_CLOSED_KINDS
} chatsock_closing;

/* The last range has no upper bound. */
enum { CHATSOCK_LAG_RANGES = 12 };
/* Upper bound of a range of chatsock_stats.lag, in microseconds. */
uint64_t chatsock_lag_bound(unsigned range);

/* Sums over all loops; counts since the start unless they say "now". */
typedef struct {
    uint64_t open_now, accepted, refused[CHATSOCK_REFUSED_REASONS], closed[CHATSOCK_CLOSED_KINDS];
    uint64_t requests, frames_in, bytes_in, bytes_out, writes;
    uint64_t deliveries; /* frames of a log times the readers they were written to */
    uint64_t behind, stalled_now, private_bytes_now, partial_bytes_now, log_bytes_now, topics_now;
    uint64_t behind_now; /* readers that fell off a log and have not come back */
    uint64_t cut_bytes_now;    /* rests of frames whose beginning is on the wire */
    uint64_t answer_bytes_now; /* HTTP answers, and bodies of requests */
    uint64_t held_now;         /* by the application: chatsock_hold() */
    uint64_t shed;             /* connections that were ended because the budget was used up */
    uint64_t queued_now; /* commands that wait for their loops */
    /* How often it took how long from a frame's stamp until it was written to every reader of a loop whose socket took
       it; one count for all that left together, by the oldest. */
    uint64_t lag[CHATSOCK_LAG_RANGES], lag_ns;
    uint64_t silence_ns; /* not a sum: since the loop that is furthest behind last turned */
} chatsock_stats;

chatsock_stats chatsock_statistics(const chatsock_server *server);

/* ---- client ----------------------------------------------------------- */

/* One loop and thread that holds any number of connections. The rules for threads and names are those of the server. */
typedef struct {
    void (*opened)(void *_Nullable ctx, uint64_t conn, const char *_Nullable subprotocol);
    /* A complete text or binary message. `bytes` is borrowed. */
    void (*received)(void *_Nullable ctx, uint64_t conn, const uint8_t *_Nullable bytes, size_t count);
    /* Once for each opened(). libwebsockets shows 1012, 1013 and 1014 of a peer as 1002; the reason is as sent. */
    void (*closed)(void *_Nullable ctx, uint64_t conn, uint16_t code, const char *reason);
    /* Instead of opened(). `status` is that of an HTTP answer other than 101, else 0. */
    void (*failed)(void *_Nullable ctx, uint64_t conn, const char *why, unsigned status);
    /* The last call ever made with `ctx`, exactly once, also when chatsock_client_start() fails. */
    void (*released)(void *_Nullable ctx);
} chatsock_client_events;

typedef struct {
    unsigned connect_ms;
    unsigned heartbeat_ms; /* silence after which the server is pinged */
    unsigned heartbeat_grace_ms;
    unsigned close_ms;
    size_t max_message_bytes; /* received; beyond: closed with 1009 */
    size_t max_queued_bytes;  /* unsent; beyond: closed with 4002 */
    const char *_Nullable authorities; /* PEM file of those that are believed besides the system's; borrowed */
} chatsock_client_config;

/* Strings are borrowed until chatsock_client_connect() returns. */
typedef struct {
    const char *host;
    uint16_t port;
    const char *path;
    const char *_Nullable subprotocol;
    const char *_Nullable source; /* numeric address to connect from */
    bool tls; /* the server's certificate must be for the host, and from an authority that is believed */
} chatsock_target;

chatsock_client_config chatsock_client_defaults(void);
/* Whether the PEM file is there and has certificates in it. */
bool chatsock_authorities_are_usable(const char *file);
/* Owned by the caller: chatsock_client_stop(), then chatsock_client_free(). */
chatsock_client *_Nullable chatsock_client_start(const chatsock_client_config *config,
                                                 const chatsock_client_events *events, void *_Nullable ctx,
                                                 chatsock_error *error);
/* The number of the connection, at once; opened() or failed() follows, unless the client is stopped. */
uint64_t chatsock_client_connect(chatsock_client *client, const chatsock_target *target);
void chatsock_client_send(chatsock_client *client, uint64_t conn, const uint8_t *_Nullable text, size_t count);
void chatsock_client_close(chatsock_client *client, uint64_t conn, uint16_t code, const char *reason);
/* Stops and goes on taking bytes from the socket. Not for TLS: libwebsockets would spin; it is ignored there. */
void chatsock_client_pause(chatsock_client *client, uint64_t conn);
void chatsock_client_resume(chatsock_client *client, uint64_t conn);
/* Drops every connection (closed() is called with 1006), joins the thread, releases ctx. Not from inside an event. */
void chatsock_client_stop(chatsock_client *client);
/* Stops if need be and frees. From inside an event it returns at once and does so on a thread of its own. */
void chatsock_client_free(chatsock_client *client);

/* ---- text ------------------------------------------------------------- */

/* True when `count` bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool chatsock_is_utf8(const uint8_t *_Nullable bytes, size_t count);

#pragma clang assume_nonnull end
#endif
