/* What the two halves of a bridge share: tls_bridge.c (both its ends) and tls_records.c (OpenSSL in between). */
#ifndef CS_TLS_BRIDGE_H
#define CS_TLS_BRIDGE_H

#include "server.h"

enum {
    CHUNK = 16384,         /* of plain text: what one TLS record holds */
    CUT = 4 * CHUNK,       /* given to OpenSSL before it is seen whether the socket takes it */
    OUT_LIMIT = 2 * CUT,   /* encrypted and not taken, at which OpenSSL may say no more by itself */
    TURN_BYTES = 2 * CHUNK, /* read from the peer in one turn of the loop */
    SILENT_RECORDS = 64,   /* without plain text: so many at once, and one more each second */
    SHAKE_LIMIT = 65536,   /* bytes from a peer until its request's header is whole */
    PAIR_ROOM = 32768,     /* bytes of the pair towards the peer */
    PARTING_MS = 2000,     /* for a peer to read what was said last, and to end */
};

struct tls_bridge {
    struct loop *loop;
    struct conn *conn; /* NULL: it has ended, and the peer is said goodbye to */
    SSL *ssl;
    struct watched {
        uv_poll_t poll;
        int fd, events;
        bool used;
    } peer, pair;          /* the peer's socket; our end of the pair */
    struct bytes out;      /* encrypted, for the peer */
    struct bytes rest;     /* plain, of a frame whose beginning is in `out` or gone: comes before anything else */
    struct bytes in;       /* plain: the header as it grows; then what the pair does not take */
    size_t received;
    size_t readable;       /* up to `received`, in this turn */
    struct cs_header header;
    unsigned silent;       /* records that held no plain text, of late */
    uint64_t forgiven;     /* ms: until when `silent` was counted down */
    bool shaken : 1;       /* hands */
    bool open : 1;         /* libwebsockets has the other end of the pair */
    bool refused : 1;      /* at the preflight */
    bool deaf : 1;         /* what still comes is thrown away */
    bool broken : 1;
    bool speaks : 1;       /* what OpenSSL writes was asked for */
    bool peer_ended : 1, pair_ended : 1; /* nothing more comes from there */
    bool told_pair : 1;    /* that the peer has ended */
    bool told_peer : 1;    /* that we have */
    bool wants_room : 1;   /* the connection waits for `out` to be empty */
    bool closing : 1;
    bool spare : 1;        /* as the connection was */
    unsigned handles;
    struct in6_addr address;
    uint64_t deadline;     /* ms, without a connection */
    struct tls_bridge *next, **link; /* among those without */
};

/* Puts the peer's socket under `ssl`; false: no memory. */
bool cs_tls_bridge_attach(struct tls_bridge *bridge);
/* Into `out`. */
void cs_tls_bridge_encrypt(struct tls_bridge *bridge, const void *bytes, size_t count);
/* Sends what is encrypted, as far as the socket takes it, and then what waits in plain. */
void cs_tls_bridge_flush(struct tls_bridge *bridge);
/* Something waits for the socket. */
bool cs_tls_bridge_is_full(const struct tls_bridge *bridge);
/* Reads some plain text; 0 when there is no more for now. */
size_t cs_tls_bridge_decrypt(struct tls_bridge *bridge, uint8_t *to, size_t room);

#endif
