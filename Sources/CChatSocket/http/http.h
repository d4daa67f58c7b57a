/* Requests before they are WebSockets, and those that stay HTTP. On the loop's thread. */
#ifndef CS_HTTP_H
#define CS_HTTP_H

#include "conn/exchange.h"

/* ---- request_header.c ---- */

/* Reads a header that has `count` bytes by now, including those of earlier calls. Returns true when it is decided. */
bool cs_request_header_check(struct cs_request_header *header, const char *bytes, size_t count,
                             struct refusal *refusal);

/* Returns the length of an empty line before a further request: some clients send one after a body (RFC 9112, 2.2). */
size_t cs_request_find_blank_line(const struct conn *conn, const char *bytes, size_t count);
/* True for the first half of such a line. */
bool cs_request_may_begin_blank(const struct conn *conn, const char *bytes, size_t count);

/* ---- request_target.c ---- */

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

/* ---- fields.c ---- */

/* Copies the value of a field into `buffer`, and returns it; NULL when it was not sent. *odd: it does not fit, or is no
   text. */
const char *cs_field_copy(struct cs_slice header, const char *name, char *buffer, size_t size, bool *odd);
/* Copies the query, with one spelling for each argument. Returns 0, or the status of the refusal. */
unsigned cs_query_copy(struct cs_slice query, char *buffer, size_t size);

/* ---- upload.c ---- */

/* Answers chatsock_save_body(). The state is CS_RECEIVING until the body is in the file. */
void cs_upload_start(struct conn *conn, int file, uint64_t offset);
/* Reads what has come of the body. */
void cs_upload_read(struct conn *conn);
/* Ends the transfer, and reports it, at once or after the write that is under way. */
void cs_upload_cancel(struct conn *conn);

/* ---- download.c ---- */

/* Begins to send the file of the answer. `continue_with` is called after each piece that is read. False: out of
   memory. */
bool cs_download_open(struct conn *conn, void (*continue_with)(struct conn *conn));
enum cs_download_status { CS_DOWNLOADED, CS_READS_FILE, CS_NEEDS_ROOM, CS_DOWNLOAD_BROKE };
/* Writes what was read, then begins to read the next piece. There may be no file. */
enum cs_download_status cs_download_write(struct conn *conn);

/* ---- http.c ---- */

/* Handles a whole header that asks for no WebSocket. Then the state is CS_BODY when a body follows. */
void cs_http_handle(struct conn *conn, struct cs_slice header, bool old);
/* Reads what has come of the body. */
void cs_http_read(struct conn *conn);

/* ---- response.c ---- */

enum cs_answerer { CS_APPLICATION, CS_SERVER }; /* after an answer of the server's own, the connection ends */
void cs_http_respond(struct conn *conn, struct answer *answer, enum cs_answerer by); /* owns the answer */
void cs_http_respond_status(struct conn *conn, unsigned status, const char *header, const char *text);
void cs_http_write(struct conn *conn);
/* Asks a client that expects it for the body. Returns false when the connection is broken. */
bool cs_http_send_continue(struct conn *conn);
/* Writes a whole small response at once, to a connection without an exchange; the caller then ends it. */
void cs_http_refuse(struct conn *conn, unsigned status, const char *header, const char *text);

/* ---- handshake.c ---- */

/* Returns -1 when the request may not open a WebSocket; libwebsockets then ends the connection. */
int cs_conn_confirm_upgrade(struct conn *conn, bool may_answer);
void cs_conn_open(struct conn *conn);

/* ---- preflight.c and tls_accept.c: a connection begins. False when there is no memory ---- */

bool cs_preflight_open(struct conn *conn);
bool cs_tls_bridge_open(struct conn *conn);

#endif
