/* A request on a connection, from its header to its answer. On the loop's thread, except for answers. */
#ifndef CS_EXCHANGE_H
#define CS_EXCHANGE_H

#include "conn/transfer.h"

struct cs_slice { /* borrowed bytes: valid as long as the buffer that they are part of */
    const char *bytes;
    size_t count;
};

/* The state of reading a request's header (http/request_header.c); all 0 at first. */
struct cs_request_header {
    uint32_t line, seen; /* where the first incomplete line begins, and how far its end was searched for */
    uint16_t parts; /* lines and arguments */
    uint8_t hosts;
    bool old, ended; /* it is HTTP/1.0; the empty line has come */
    bool upgrades, websocket; /* there is an Upgrade; there is one, and it names websocket */
    const char *objection; /* the first one, or NULL */
    chatsock_refusal why;  /* for which the objection counts */
};

/* ---- answers: any thread. The caller owns the result; NULL: out of memory ---- */

#define CS_TAIL_CLOSE "connection: close\r\n\r\n"
struct answer { /* the bytes on the wire: a header, which ends with CS_TAIL_CLOSE, then a body */
    size_t header, size;
    int file; /* owned; -1: none. The body is a part of it */
    uint64_t file_start, file_count;
    uint8_t bytes[];
};
/* Becomes the owner of the response's file, also when there is no memory. */
struct answer *cs_answer_new(const chatsock_server *server, const chatsock_response *response);
/* An answer with one line of plain text. `header` is one more header line, or NULL. */
struct answer *cs_answer_new_status(const chatsock_server *server, unsigned status, const char *header,
                                    const char *text);
void cs_answer_free(struct answer *answer);
/* Closes the file of an answer that does not need it. On the loop's thread. */
void cs_answer_close_file(struct loop *loop, struct answer *answer);

/* ---- what carries requests: the peer's socket (http/preflight.c), or TLS (http/tls_accept.c) ---- */

enum cs_watch {
    CS_WATCH_HEADER,  /* the header of the next request: cs_http_handle() follows, or it becomes a WebSocket */
    CS_WATCH_BODY,    /* cs_http_read() follows when more comes */
    CS_WATCH_NOTHING, /* input waits at the carrier */
    CS_WATCH_ROOM,    /* cs_http_write() follows */
    CS_WATCH_END,     /* we have ended: further input is discarded until the peer ends, too */
};

struct cs_carrier {
    ssize_t (*read)(struct conn *conn, void *to, size_t room); /* 0: nothing for now; -1: nothing more */
    ssize_t (*write)(struct conn *conn, const struct iovec *parts, size_t count); /* -1: the connection is broken */
    void (*watch)(struct conn *conn, enum cs_watch watch);
};

struct exchange {
    const char *method; /* NULL: none of ours */
    uint8_t *header;    /* as it was sent, until the application has the request */
    size_t header_count;
    uint8_t *body;
    size_t announced, have;
    uint64_t unread; /* of the body of a PUT: the connection ends after its answer unless it is 0 */
    bool receivable; /* it is a PUT, and chatsock_save_body() was not called */
    bool expects;    /* the client waits for "100 Continue" before it sends the body of a PUT */
    struct transfer *transfer; /* owned: the body of a PUT, or the file of an answer */
    struct answer *answer;
    char tail[96]; /* of the answer's header */
    size_t sent, size; /* of the answer; `size` leaves out the body of a HEAD */
    bool old;          /* HTTP/1.0 */
    bool may_stay;     /* the client wants to send the next request on this connection */
    bool stays;        /* and so it will be */
    bool over;         /* the answer is sent, and the connection ends */
};
/* Copies the header. NULL: out of memory. */
struct exchange *cs_exchange_new(struct cs_slice header);
void cs_exchange_free(struct conn *conn);
/* Frees the header, or the answer. */
void cs_exchange_drop_header(struct conn *conn);
void cs_exchange_drop_answer(struct conn *conn);
/* Ends the transfer, if there is one. */
void cs_exchange_drop_transfer(struct conn *conn);
size_t cs_exchange_count_held(const struct conn *conn);

#endif
