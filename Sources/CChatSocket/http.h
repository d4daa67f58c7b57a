/* Requests before they are WebSockets, and those that stay HTTP. */
#ifndef CS_HTTP_H
#define CS_HTTP_H

#include "server.h"

/* request_header.c: the state of reading a request's header; all 0 at first */
struct cs_request_header {
    uint32_t line, seen; /* where the first incomplete line begins, and how far its end was searched for */
    uint16_t parts; /* lines and arguments */
    uint8_t hosts;
    bool old, ended; /* it is HTTP/1.0; the empty line has come */
    bool upgrades, websocket; /* there is an Upgrade; there is one, and it names websocket */
    const char *objection; /* the first one, or NULL */
    chatsock_refusal why;  /* for which the objection counts */
};
/* Reads a header that has `count` bytes by now, including those of earlier calls. Returns true when it is decided. */
bool cs_request_header_check(struct cs_request_header *header, const char *bytes, size_t count, struct refusal *refusal);

/* Returns the length of an empty line before a further request: some clients send one after a body (RFC 9112, 2.2). */
size_t cs_request_find_blank_line(const struct conn *conn, const char *bytes, size_t count);
/* True for the first half of such a line. */
bool cs_request_may_begin_blank(const struct conn *conn, const char *bytes, size_t count);

struct cs_slice { /* borrowed bytes */
    const char *bytes;
    size_t count;
};

/* request_target.c */
/* Checks the method and the path of the request of a WebSocket, as they were sent. */
struct refusal cs_target_check_websocket(const char *header, size_t count);
struct cs_target { /* parts of the request line */
    struct cs_slice path, query, authority;
    bool absolute; /* an address, not a path */
};
struct cs_target cs_target_parse(const char *header, size_t count);
struct refusal cs_target_check(const struct cs_target *target, const char *host);
/* Returns NULL when the origin may make the request, otherwise the text of the answer 403. A value is NULL when its
   field was not sent, and empty when it is empty or cannot be read. */
const char *cs_origin_check(const struct conn *conn, const char *origin, const char *host);

/* fields.c */
/* Copies the value of a field; NULL when it was not sent. *odd: it does not fit, or is no text. */
const char *cs_field_copy(struct cs_slice header, const char *name, char *buffer, size_t size, bool *odd);
/* Copies the query, with one spelling for each argument. Returns 0, or the status of the refusal. */
unsigned cs_query_copy(struct cs_slice query, char *buffer, size_t size);

/* answer.c (any thread): the functions return NULL when out of memory */
#define CS_TAIL_CLOSE "connection: close\r\n\r\n"
struct answer { /* the bytes on the wire: a header, which ends with CS_TAIL_CLOSE, then a body */
    size_t header, size;
    uint8_t bytes[];
};
struct answer *cs_answer_new(const chatsock_server *server, const chatsock_response *response);
/* An answer with one line of plain text. `header` is one more header line, or NULL. */
struct answer *cs_answer_new_status(const chatsock_server *server, unsigned status, const char *header, const char *text);
void cs_answer_free(struct answer *answer);

/* ---- what carries requests: the peer's socket (preflight.c), or TLS (tls_accept.c) ---- */

enum cs_watch {
    CS_WATCH_HEADER,  /* the header of the next request: cs_http_handle() follows, or it becomes a WebSocket */
    CS_WATCH_BODY,    /* cs_http_read() follows */
    CS_WATCH_NOTHING, /* what comes waits at the carrier */
    CS_WATCH_ROOM,    /* cs_http_write() follows */
    CS_WATCH_END,     /* we have ended: further input is discarded until the peer ends, too */
};

struct cs_carrier {
    ssize_t (*read)(struct conn *conn, void *to, size_t room); /* 0: nothing for now; -1: nothing more */
    ssize_t (*write)(struct conn *conn, const struct iovec *parts, size_t count); /* -1: the connection is broken */
    void (*watch)(struct conn *conn, enum cs_watch watch);
};

/* exchange.c */
struct exchange {
    const char *method; /* NULL: none of ours */
    uint8_t *header;    /* as it was sent, until the application has the request */
    size_t header_count;
    uint8_t *body;
    size_t announced, have;
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
size_t cs_exchange_count_held(const struct conn *conn);

/* http.c */
/* Handles a whole header that asks for no WebSocket. Then the state is CS_BODY when a body follows. */
void cs_http_handle(struct conn *conn, struct cs_slice header, bool old);
/* Reads what has come of the body. */
void cs_http_read(struct conn *conn);

/* response.c */
enum cs_answerer { CS_APPLICATION, CS_SERVER }; /* after an answer of the server's own, the connection ends */
void cs_http_respond(struct conn *conn, struct answer *answer, enum cs_answerer by); /* owns the answer */
void cs_http_respond_status(struct conn *conn, unsigned status, const char *header, const char *text);
void cs_http_write(struct conn *conn);
/* Writes a whole small response at once, to a connection without an exchange; the caller then ends it. */
void cs_http_refuse(struct conn *conn, unsigned status, const char *header, const char *text);

#endif
