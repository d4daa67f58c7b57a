/* The inside of bridges. Shared by tls_records.c (OpenSSL), tls_bridge.c (both ends of a bridge) and tls_accept.c (its
   beginning). */
#ifndef CS_TLS_BRIDGE_H
#define CS_TLS_BRIDGE_H

#include "conn/exchange.h"
#include "tls/tls.h"

/* A queue of bytes, oldest first. */
struct bytes {
    uint8_t *data; /* owned */
    size_t from, count, room;
};

bool cs_bytes_add(struct bytes *bytes, const void *more, size_t count); /* false: out of memory */
void cs_bytes_drop(struct bytes *bytes, size_t count);
void cs_bytes_free(struct bytes *bytes);

enum {
    CHUNK = 16384,         /* bytes of plain text that one TLS record holds */
    CUT = 4 * CHUNK,       /* bytes given to OpenSSL before it is known whether the socket takes them */
    OUT_LIMIT = 2 * CUT,   /* bytes encrypted and not taken, beyond which OpenSSL must not write by itself */
    TURN_BYTES = 2 * CHUNK, /* read from the peer in one turn of the loop */
    SILENT_RECORDS = 64,   /* records without plain text that are allowed at once; one more for each second */
    HANDSHAKE_LIMIT = 65536,   /* bytes from a peer until its request's header is whole */
    PAIR_ROOM = 32768,     /* send buffer of libwebsockets' end of the pair */
    DETACHED_MS = 2000,     /* for a peer to read the last bytes and to close */
};

struct tls_bridge { /* owns its sockets, `ssl` and bytes until cs_tls_bridge_release() has seen the last handle */
    struct loop *loop;
    struct conn *conn; /* NULL: it has ended, and the peer gets the last bytes */
    SSL *ssl;
    struct watched {
        uv_poll_t poll;
        uv_poll_cb on_event;
        int fd, events;
        bool used;
    } peer, pair;          /* the peer's socket; our end of the pair */
    struct bytes out;      /* encrypted, for the peer */
    struct bytes rest; /* plain: the rest of a frame whose beginning is in `out` or sent. Precedes anything else */
    struct bytes in; /* plain: first the growing header, then what the pair does not take */
    size_t received;
    size_t readable; /* the value of `received` at which this turn stops reading */
    struct cs_request_header header;
    unsigned silent; /* recent records without plain text */
    uint64_t forgiven; /* ms: up to when `silent` was counted down */
    bool handshake_done : 1; /* the TLS handshake is done */
    bool open : 1; /* libwebsockets has the other end of the pair */
    bool refused : 1; /* by the preflight, or its last request is answered: we have ended */
    bool paused : 1; /* input waits, because a request is being answered */
    bool discards_input : 1; /* further input is discarded */
    bool broken : 1;
    bool is_encrypting : 1; /* OpenSSL writes because we asked it to */
    bool peer_ended : 1, pair_ended : 1; /* nothing more comes from this side */
    bool pair_notified : 1; /* libwebsockets knows that the peer has ended */
    bool peer_notified : 1; /* the peer knows that we have ended */
    bool wants_room : 1; /* the connection waits for `out` to be empty */
    bool closing : 1;
    bool spare : 1; /* copied from the connection when it ends */
    unsigned handles;
    struct in6_addr address;
    uint64_t deadline; /* ms; for a bridge without a connection */
    struct tls_bridge *next, **link; /* in loop->parting */
};

/* tls_records.c */
/* Puts the peer's socket under `ssl`. Returns false when out of memory. */
bool cs_tls_bridge_attach(struct tls_bridge *bridge);
/* Encrypts the bytes into `out`. */
void cs_tls_bridge_encrypt(struct tls_bridge *bridge, const void *bytes, size_t count);
/* Sends what is encrypted, as far as the socket takes it, and then the plain rest. */
void cs_tls_bridge_flush(struct tls_bridge *bridge);
/* Reads some plain text. Returns 0 when there is no more for now. */
size_t cs_tls_bridge_decrypt(struct tls_bridge *bridge, uint8_t *to, size_t room);

/* tls_bridge.c */
/* Sends the peer what libwebsockets has written itself: its answer to the handshake, pongs and close frames. */
void cs_tls_bridge_drain_pair(struct tls_bridge *bridge);
/* Called after each event: acts on what follows from it, and sets what the loop waits for next. */
void cs_tls_bridge_update(struct tls_bridge *bridge);
/* Only sets what the loop waits for next. */
void cs_tls_bridge_update_polls(struct tls_bridge *bridge);
/* Closes the handles. `on_closed` is called for each of them. */
void cs_tls_bridge_close(struct tls_bridge *bridge, uv_close_cb on_closed);
/* Called for each closed handle. The last one frees the bridge, so `bridge` is invalid after a true result. */
bool cs_tls_bridge_release(struct tls_bridge *bridge);

#endif
