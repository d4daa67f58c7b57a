/*
 * chatsocket: a WebSocket server made for fan-out, and a client, over
 * libwebsockets and libuv. No type and no function of either library appears
 * in this header.
 *
 * Threads. A server has N loops, with one thread each. Everything about a
 * connection happens on its loop. Every event is called on a loop's thread.
 * An event must copy what it wants to keep, must not block, and must not call
 * chatsock_stop(). Every function may be called from any thread, also from
 * inside an event: it puts commands on the loop's queue and returns. Commands
 * from one thread to one loop keep their order.
 *
 * Names. Connections and requests are numbers, never pointers. A number is not
 * used again for a very long time. A command for a number that is unknown or
 * closed is ignored.
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

/* One text message with its header. It never changes. Its reference count is atomic, so any thread may use it. */
typedef struct chatsock_frame chatsock_frame;

/* Makes a frame with one reference, which the caller owns. Copies `text`. Returns NULL when out of memory. */
chatsock_frame *_Nullable chatsock_frame_text(const uint8_t *_Nullable text, size_t count);
/* Makes a frame of the first `count` bytes of the text of `whole`, followed by `end`. The text of `whole` must be at
   least `count` bytes long. Copies `end`. Copies the beginning, too, if it is short; otherwise the new frame shares it
   and keeps `whole` alive until it is released itself. Returns NULL when out of memory. */
chatsock_frame *_Nullable chatsock_frame_ending(chatsock_frame *whole, size_t count, const uint8_t *end,
                                                size_t end_count);
/* The monotonic clock, in nanoseconds. */
uint64_t chatsock_clock(void);
/* Records the time by chatsock_clock() at which the content of the frame existed. Call it before the frame is
   shared. */
void chatsock_frame_stamp(chatsock_frame *frame, uint64_t since);
void chatsock_frame_retain(chatsock_frame *frame);
void chatsock_frame_release(chatsock_frame *frame);
/* The size on the wire in bytes, header included. */
size_t chatsock_frame_size(const chatsock_frame *frame);
/* The size of the text in bytes. chatsock_frame_copy_text() copies the text into `to`, which has room for that many. */
size_t chatsock_frame_text_size(const chatsock_frame *frame);
void chatsock_frame_copy_text(const chatsock_frame *frame, uint8_t *to);

/* ---- server ----------------------------------------------------------- */

/* A connection as it opens. Strings are borrowed until the event returns; NULL means that the header was not sent. */
typedef struct {
    const char *address; /* numeric; IPv4 never as ::ffff:a.b.c.d; behind trusted proxies the address of their client */
    const char *path;
    const char *_Nullable query;
    const char *_Nullable origin;
    const char *_Nullable authorization;
    const char *_Nullable subprotocol; /* the one agreed on */
    const char *_Nullable forwarded_for;
} chatsock_peer;

/* A complete plain HTTP request. Everything is borrowed until the event returns. */
typedef struct {
    const char *address;
    const char *method; /* GET, HEAD, POST, PUT, DELETE or OPTIONS */
    const char *path;
    const char *_Nullable query; /* percent-encoded, with one spelling for each argument */
    const char *_Nullable authorization;
    const char *_Nullable if_none_match;
    const char *_Nullable content_type;
    const char *_Nullable accept;
    const char *_Nullable accept_encoding; /* not the header of a client that sends a very long one */
    const char *_Nullable idempotency_key;
    const char *_Nullable origin;
    const char *_Nullable forwarded_for;
    const char *_Nullable range; /* not the header of a client that sends a very long one */
    const char *_Nullable content_range;
    const char *_Nullable asked_method; /* Access-Control-Request-Method: the request is a preflight of a browser's */
    const uint8_t *_Nullable body;
    size_t body_count;
    uint64_t body_to_come; /* of a PUT, whose body is read by chatsock_save_body(); it has no `body` */
} chatsock_request;

/* A text message of more than max_frame_bytes, but of at most 16 times as many. Only its edges were kept, and it was
   not checked for UTF-8. Borrowed until the event returns. */
typedef struct {
    const uint8_t *start; /* the first 256 bytes */
    size_t start_count;
    const uint8_t *end; /* the last 256 bytes, or fewer when fewer come after the first ones */
    size_t end_count;
    size_t size;
} chatsock_oversized;

/* The data that a connection has not taken yet. */
typedef struct {
    size_t unsent_bytes; /* in its queue, and in the logs that it reads */
    unsigned lists_behind; /* logs that it fell off */
    uint64_t waiting_ms; /* since its socket last took data, while there is data to send */
} chatsock_backlog;

typedef struct {
    /* A WebSocket opened. One closed() follows. */
    void (*opened)(void *_Nullable ctx, uint64_t conn, const chatsock_peer *peer);
    /* A complete text message in valid UTF-8. `bytes` is borrowed: copy it before returning. `count` may be 0. */
    void (*received)(void *_Nullable ctx, uint64_t conn, const uint8_t *_Nullable bytes, size_t count);
    /* A message that is too long; called instead of received(). A message of more than 16 times the limit closes its
       connection with 1009. */
    void (*oversized)(void *_Nullable ctx, uint64_t conn, const chatsock_oversized *message);
    /* The reader fell off the log of `topic`. The last whole frame that it was given had `revision`. It gets nothing
       more of the topic until it is attached again. Called once each time it falls off. */
    void (*behind)(void *_Nullable ctx, uint64_t conn, uint64_t topic, uint64_t revision);
    /* Called once for each opened(). `code` comes from the side that closed first: 1005 when it sent no code, 1006 when
       the connection broke. */
    void (*closed)(void *_Nullable ctx, uint64_t conn, uint16_t code);
    /* The loop has no more events for now. Called once after one or more of its received(), oversized(), behind() and
       closed(), before the loop writes or sleeps. */
    void (*turn_ended)(void *_Nullable ctx, unsigned loop);
    /* An HTTP request. Answer it with chatsock_respond() within request_ms, or call chatsock_save_body() and answer
       within request_ms of body_saved(); after that the server answers with 503. */
    void (*request)(void *_Nullable ctx, uint64_t request, const chatsock_request *what);
    /* Called once for each chatsock_save_body() that returned true. `count` bytes of the body are in the file, and
       nothing uses the descriptor any more. Not `whole`: a write failed, the peer broke off or stalled, or the server
       stopped. After a whole body and after a failed write, the request waits for its answer. */
    void (*body_saved)(void *_Nullable ctx, uint64_t request, uint64_t count, bool whole);
    /* The answer to chatsock_peek(). `backlog` is borrowed. All its fields are 0 for a connection that is gone. */
    void (*peeked)(void *_Nullable ctx, uint64_t ticket, uint64_t conn, const chatsock_backlog *backlog);
    /* The memory budget is used up, and chatsock_hold() counts toward it: release that memory. On a loop's thread. */
    void (*over_budget)(void *_Nullable ctx);
    /* One line of warning, of libwebsockets or about a peer that was refused: printable ASCII, rate limited,
       borrowed. */
    void (*log)(void *_Nullable ctx, const char *line);
    /* The last call ever made with `ctx`. Made exactly once, also when chatsock_listen() fails. */
    void (*released)(void *_Nullable ctx);
} chatsock_events;

/* All strings are borrowed until chatsock_listen() returns. Start from chatsock_defaults(). */
typedef struct {
    const char *host; /* an address, or a name that resolves to one */
    uint16_t port; /* 0: any free port, see chatsock_port() */
    unsigned loops;
    size_t max_frame_bytes; /* of a text message from a peer, all its fragments together */
    unsigned max_fragments; /* of one message */
    size_t max_partial_bytes; /* unfinished messages of all connections together */
    unsigned max_connections; /* 0: what the descriptor limit allows, minus a reserve */
    const char *_Nonnull const *_Nullable vital_paths; /* whose GET and HEAD are answered beyond that, too */
    size_t vital_count;
    unsigned max_per_address; /* 0: no limit. All addresses of one IPv6 /64 network count as one */
    unsigned handshakes_per_second; /* long-term average for one address; a burst of five seconds' worth. 0: no limit */
    bool limits_loopback; /* the two limits above also apply to this machine's own addresses */
    const char *_Nonnull const *_Nullable trusted; /* proxies: addresses, or networks such as 10.0.0.0/8 */
    size_t trusted_count;
    bool proxy_protocol; /* connections from trusted addresses begin with a PROXY header */
    size_t max_body_bytes; /* of an HTTP request, except a PUT */
    size_t max_private_bytes; /* a connection with this many unsent private bytes is closed at its next frame */
    size_t log_bytes; /* kept for slow readers, for each topic and loop */
    size_t memory_budget; /* bytes that wait for all peers or have arrived in part; 0: no limit */
    unsigned heartbeat_ms; /* silence after which a peer is pinged */
    unsigned heartbeat_grace_ms; /* further silence after which its connection is closed */
    unsigned stall_ms; /* without progress while data waits; also for 16 KiB of a file to arrive or to leave */
    unsigned close_ms; /* for the peer to answer a close frame, or to end after an HTTP answer */
    unsigned request_ms; /* for an HTTP body to arrive, except that of a PUT, and again for its answer */
    unsigned header_ms; /* for a request's header to arrive, also for the next one on its connection: at most
                                      16 KiB, and 80 lines and arguments */
    const char *_Nullable echo_path; /* WebSockets at this path are echoes: no event tells of them */
    size_t max_echo_bytes; /* of a message on echo_path, in any number of fragments */
    const char *_Nullable certificate; /* PEM file with the chain, the server's certificate first; NULL: no TLS */
    const char *_Nullable key; /* PEM file, without a password */
    const char *_Nonnull const *_Nullable origins; /* NULL: the peer's own Host; "*": any. No Origin: allowed */
    size_t origin_count;
    bool only_loopback_hosts; /* Host must name loopback or a listed origin. A request without Host is allowed */
} chatsock_config;

chatsock_config chatsock_defaults(void);

typedef enum {
    CHATSOCK_OK = 0,
    CHATSOCK_BAD_ADDRESS, /* the host does not resolve, or is no address of this machine */
    CHATSOCK_PORT_IN_USE,
    CHATSOCK_NOT_PERMITTED, /* usually because the port is below 1024 */
    CHATSOCK_BAD_CERTIFICATE, /* chatsock_certificate_is_usable() gives the reason */
    CHATSOCK_NO_PLUGIN, /* libwebsockets could not start on libuv: the package libwebsockets-evlib-uv is missing */
    CHATSOCK_SYSTEM, /* any other failure; `detail` is an errno */
} chatsock_error;

/* Starts all threads and listens. On failure returns NULL, sets `error` and `detail`, and releases ctx, too. The caller
   owns the result: chatsock_stop(), then chatsock_free(). */
chatsock_server *_Nullable chatsock_listen(const chatsock_config *config, const chatsock_events *events,
                                           void *_Nullable ctx, chatsock_error *error, int *detail);
/* True when `text` is an address, or a network such as 10.0.0.0/8. */
bool chatsock_is_network(const char *text);
/* True when both files can be read and belong together. Otherwise writes the reason into `why`, `size` bytes at
   most. */
bool chatsock_certificate_is_usable(const char *certificate, const char *key, char *why, size_t size);
/* Reads both files again for new connections; open connections stay. On failure returns false, writes the reason into
   `why`, and keeps the previous certificate. */
bool chatsock_reload_certificate(chatsock_server *server, char *why, size_t size);
/* True when the calling thread runs a loop of any server. Code on such a thread must not wait. */
bool chatsock_is_on_loop(void);
uint16_t chatsock_port(const chatsock_server *server);
unsigned chatsock_loop_count(const chatsock_server *server);

typedef enum {
    /* Sends `frame` to `conn`. */
    CHATSOCK_SEND,
    /* Sends `frame` (may be NULL) to `conn` and makes it a reader of everything that is appended to `topic` from now
       on. `revision` is its place: behind() reports it when the reader falls off before it got anything. A second
       attach starts over. */
    CHATSOCK_ATTACH,
    CHATSOCK_DETACH,
    /* Appends `frame` to the loop's log of `topic`. The log copies it once, and drops it when the loop has no reader of
       the topic. A reader that has received it holds `revision`. */
    CHATSOCK_APPEND,
    /* Breaks the sequence of `topic`: the next frame does not follow the last. Every reader on the loop falls off, with
       behind(). */
    CHATSOCK_CUT,
    /* Sends what is queued for `conn`, then `frame` (may be NULL), then a close frame with `code` and `reason`, with
       nothing in between. `reason` is cut to 123 bytes at a character boundary. Nothing is received any more. The
       connection ends after close_ms at the latest. */
    CHATSOCK_CLOSE,
} chatsock_command_kind;

/* One command for a loop. `conn` must be a connection of that loop: the first byte of `conn` is the loop's number. */
typedef struct {
    chatsock_command_kind kind;
    uint16_t code;
    uint64_t conn, topic, revision;
    chatsock_frame *_Nullable frame;
    const char *_Nullable reason;
} chatsock_command;

/* Submits `commands` to a loop, which runs all of them, in order, before it writes to sockets. Wakes the loop at most
   once. Copies everything; retains frames. `more` corks the appended frames: they leave together with those appended
   next. A submission without commands uncorks. The cork lasts at most a millisecond, or four times the duration of the
   last round of writing if that is longer, but never more than 20 ms. */
void chatsock_submit(chatsock_server *server, unsigned loop, const chatsock_command *_Nullable commands, size_t count,
                     bool more);

/* Adds `more` bytes, which may be negative, to the memory that the application keeps. It counts against the budget, and
   the application must be able to release it at once. */
void chatsock_hold(chatsock_server *server, int64_t more);

/* True while the memory budget is used up: whatever can wait must not be made now. */
bool chatsock_is_over_budget(const chatsock_server *server);

/* Has peeked() called for the connection, also when the connection is gone. Not after its loop has stopped. */
void chatsock_peek(chatsock_server *server, uint64_t conn, uint64_t ticket);

typedef struct {
    unsigned status;
    const char *_Nonnull const *_Nullable headers; /* "name: value", without content-length and connection */
    size_t header_count;
    const uint8_t *_Nullable body;
    size_t body_count;
    bool has_file; /* the body is a part of a file instead */
    int file; /* its descriptor, which belongs to the server from the call on, also when the request is gone */
    uint64_t file_start, file_count;
} chatsock_response;

/* Answers a request, once. Copies everything. Then the connection waits for the next request, which has another number,
   or ends. It ends after the answer to a PUT whose body was not read, and breaks when a file has fewer bytes than
   promised. A file is read piece by piece on threads of libuv's, as the peer takes it. */
void chatsock_respond(chatsock_server *server, uint64_t request, const chatsock_response *response);

/* Writes the body of a PUT into `file` from `offset` on, piece by piece on threads of libuv's. The peer gets "100
   Continue" if it expects that. body_saved() follows, on the request's loop: also for a request that is gone, has no
   such body, or for which this was called before. The caller keeps the descriptor open until then, and closes it.
   An answer that comes earlier ends the transfer. Returns false when the loop has stopped or there is no memory: then
   body_saved() does not follow. */
bool chatsock_save_body(chatsock_server *server, uint64_t request, int file, uint64_t offset);

/* Changes max_connections. Open connections stay. */
void chatsock_limit_connections(chatsock_server *server, unsigned max_connections);
/* Closes the listening socket; connections stay. */
void chatsock_stop_accepting(chatsock_server *server);
/* Closes every connection with 1001, waits at most about `grace_ms`, joins all threads and releases ctx. Afterwards
   every function may still be called until chatsock_free(), and does nothing. Not from inside an event. A second call
   does nothing. */
void chatsock_stop(chatsock_server *server, unsigned grace_ms);
/* Stops the server if necessary, and frees it. From inside an event it returns at once and does both on a new
   thread. */
void chatsock_free(chatsock_server *server);

/* The reasons for which connections are refused: index of chatsock_stats.refused. */
typedef enum {
    CHATSOCK_REFUSED_FULL,
    CHATSOCK_REFUSED_ADDRESS,
    CHATSOCK_REFUSED_HANDSHAKE,
    CHATSOCK_REFUSED_ORIGIN,
    CHATSOCK_REFUSED_PATH,
    CHATSOCK_REFUSED_TLS,
    CHATSOCK_REFUSED_RATE,
    CHATSOCK_REFUSED_PROXY,
    CHATSOCK_REFUSED_REASONS
} chatsock_refusal;

/* The ways in which connections close: index of chatsock_stats.closed. */
typedef enum {
    CHATSOCK_CLOSED_NORMAL, /* 1000, 1001, 1005 */
    CHATSOCK_CLOSED_BROKEN, /* 1006 */
    CHATSOCK_CLOSED_PROTOCOL, /* 1002, 1003, 1007, 1008, 1009, 1010 */
    CHATSOCK_CLOSED_SLOW, /* 4002 */
    CHATSOCK_CLOSED_SILENT, /* 4000 */
    CHATSOCK_CLOSED_OTHER,
    CHATSOCK_CLOSED_KINDS
} chatsock_closing;

/* The last range has no upper bound. */
enum { CHATSOCK_LAG_RANGES = 12 };
/* The upper bound of a range of chatsock_stats.lag, in microseconds. */
uint64_t chatsock_lag_bound(unsigned range);

/* Sums over all loops. Fields count since the start, except those that end in _now. */
typedef struct {
    uint64_t open_now, accepted, refused[CHATSOCK_REFUSED_REASONS], closed[CHATSOCK_CLOSED_KINDS];
    uint64_t requests, frames_in, bytes_in, bytes_out, writes;
    uint64_t deliveries; /* frames of a log times the readers that they were written to */
    uint64_t behind, stalled_now, private_bytes_now, partial_bytes_now, log_bytes_now, topics_now;
    uint64_t behind_now; /* readers that fell off a log and have not come back */
    uint64_t cut_bytes_now; /* rests of frames whose beginning is on the wire */
    uint64_t answer_bytes_now; /* HTTP answers, bodies of requests, and pieces of files */
    uint64_t held_now; /* kept by the application: chatsock_hold() */
    uint64_t shed; /* connections that were ended because the budget was used up */
    uint64_t queued_now; /* commands that wait for their loops */
    uint64_t queued_bytes_now; /* frames and HTTP answers of these commands */
    /* A histogram of the time from a frame's stamp until the frame was written to every reader on a loop whose socket
       accepted it. Frames that leave together count once, with the oldest stamp. */
    uint64_t lag[CHATSOCK_LAG_RANGES], lag_ns;
    uint64_t silence_ns; /* not a sum: the time since the last turn of the loop that is furthest behind */
} chatsock_stats;

chatsock_stats chatsock_statistics(const chatsock_server *server);

/* ---- client ----------------------------------------------------------- */

/* One loop and thread for any number of connections. The rules for threads and names are the same as the server's. */
typedef struct {
    void (*opened)(void *_Nullable ctx, uint64_t conn, const char *_Nullable subprotocol);
    /* A complete text or binary message. `bytes` is borrowed. */
    void (*received)(void *_Nullable ctx, uint64_t conn, const uint8_t *_Nullable bytes, size_t count);
    /* Called once for each opened(). libwebsockets reports a peer's 1012, 1013 and 1014 as 1002; the reason is
       intact. */
    void (*closed)(void *_Nullable ctx, uint64_t conn, uint16_t code, const char *reason);
    /* Called instead of opened(). `status` is the status of an HTTP answer other than 101, otherwise 0. */
    void (*failed)(void *_Nullable ctx, uint64_t conn, const char *why, unsigned status);
    /* The last call ever made with `ctx`, exactly once, also when chatsock_client_start() fails. */
    void (*released)(void *_Nullable ctx);
} chatsock_client_events;

typedef struct {
    unsigned connect_ms;
    unsigned heartbeat_ms; /* silence after which the server is pinged */
    unsigned heartbeat_grace_ms;
    unsigned close_ms;
    size_t max_message_bytes; /* received; a longer message closes the connection with 1009 */
    size_t max_queued_bytes; /* unsent; more closes the connection with 4002 */
    const char *_Nullable authorities; /* PEM file of authorities trusted in addition to the system's; borrowed */
} chatsock_client_config;

/* Strings are borrowed until chatsock_client_connect() returns. */
typedef struct {
    const char *host;
    uint16_t port;
    const char *path;
    const char *_Nullable subprotocol;
    const char *_Nullable source; /* numeric address to connect from */
    bool tls; /* the server's certificate must name the host and come from a trusted authority */
} chatsock_target;

chatsock_client_config chatsock_client_defaults(void);
/* True when the PEM file can be read and contains certificates. */
bool chatsock_authorities_are_usable(const char *file);
/* Starts the loop. The caller owns the result: chatsock_client_stop(), then chatsock_client_free(). */
chatsock_client *_Nullable chatsock_client_start(const chatsock_client_config *config,
                                                 const chatsock_client_events *events, void *_Nullable ctx,
                                                 chatsock_error *error);
/* Begins a connection and returns its number at once. opened() or failed() follows, unless the client is stopped. */
uint64_t chatsock_client_connect(chatsock_client *client, const chatsock_target *target);
void chatsock_client_send(chatsock_client *client, uint64_t conn, const uint8_t *_Nullable text, size_t count);
void chatsock_client_close(chatsock_client *client, uint64_t conn, uint16_t code, const char *reason);
/* Stop and resume reading from the socket. Both are ignored for TLS, where libwebsockets would spin. */
void chatsock_client_pause(chatsock_client *client, uint64_t conn);
void chatsock_client_resume(chatsock_client *client, uint64_t conn);
/* Ends every connection (closed() is called with 1006), joins the thread and releases ctx. Not from inside an event. */
void chatsock_client_stop(chatsock_client *client);
/* Stops the client if necessary, and frees it. From inside an event it returns at once and does both on a new
   thread. */
void chatsock_client_free(chatsock_client *client);

/* ---- text ------------------------------------------------------------- */

/* True when the `count` bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool chatsock_is_utf8(const uint8_t *_Nullable bytes, size_t count);

#pragma clang assume_nonnull end
#endif
