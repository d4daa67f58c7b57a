/* Requests before they are WebSockets, and those that stay HTTP. */
#ifndef CS_HTTP_H
#define CS_HTTP_H

#include "server.h"

/* request_header.c: the state of reading a request's header; all 0 at first */
struct cs_header {
    uint32_t line, seen; /* where the first incomplete line begins, and how far its end was searched for */
    uint16_t parts; /* lines and arguments */
    uint8_t hosts;
    bool old, ended; /* it is HTTP/1.0; the empty line has come */
    const char *objection; /* the first one, or NULL */
    chatsock_refusal why;  /* for which the objection counts */
};
/* Reads a header that has `count` bytes by now, including those of earlier calls. Returns true when it is decided. */
bool cs_check_header(struct cs_header *header, const char *bytes, size_t count, struct refusal *refusal);

/* request_target.c */
/* Checks the method and the path of a whole header, as they were sent. */
struct refusal cs_check_target(const char *header, size_t count);
/* Returns NULL when the origin may make the request, otherwise the text of the answer 403. */
const char *cs_objection_to_origin(const struct conn *conn);

/* answer.c (any thread): the functions return NULL when out of memory */
struct answer { /* the bytes on the wire: a header, then a body */
    size_t header, size;
    uint8_t bytes[];
};
struct answer *cs_answer_copy(const chatsock_server *server, const chatsock_response *response);
/* An answer with one line of plain text. `header` is one more header line, or NULL. */
struct answer *cs_answer_status(const chatsock_server *server, unsigned status, const char *header, const char *text);
void cs_answer_free(struct answer *answer);

/* exchange.c */
struct response_writer { /* waits until the socket takes more of an answer */
    uv_poll_t poll;
    struct conn *conn;
};

struct exchange {
    const char *method;
    uint8_t *body;
    size_t announced, have;
    struct answer *answer;
    size_t sent, size; /* of the answer; `size` leaves out the body of a HEAD */
    bool lingers;      /* the rest of the body is discarded until the peer has read the answer */
    struct response_writer *writer;
};
void cs_exchange_free(struct conn *conn);
size_t cs_exchange_held(const struct conn *conn);

/* http.c */
int cs_http_request(struct conn *conn);
int cs_http_body(struct conn *conn, const void *in, size_t count);
int cs_http_body_end(struct conn *conn);

/* response.c */
void cs_http_respond(struct conn *conn, struct answer *answer); /* takes the answer */
void cs_http_answer_status(struct conn *conn, unsigned status, const char *text);
/* Writes a whole small response at once; the caller then ends the connection. */
void cs_http_refuse(struct conn *conn, unsigned status, const char *header, const char *text);

#endif
