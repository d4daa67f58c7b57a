/* The beginning of a client's connection: to its opening, or to the reason why there is none. */
#include "client/client.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <sys/socket.h>

void cs_client_conn_connect(chatsock_client *client, uint64_t id, const chatsock_target *target) {
    /* The target is a copy, made where nothing can fail. */
    bool is_whole = target->host && target->path;
    struct client_conn *conn = is_whole ? cs_client_conn_add(client, id, target->tls) : NULL;
    if (!conn) {
        client->events.failed(client->ctx, id, "out of memory", 0);
        return;
    }
    char host[300];
    snprintf(conn->host, sizeof conn->host, "%s", target->host);
    snprintf(host, sizeof host, strchr(target->host, ':') ? "[%s]:%u" : "%s:%u", target->host, target->port);
    struct lws_client_connect_info info = {
        .context = client->lws,
        .vhost = client->vhost,
        .address = target->host,
        .port = target->port,
        .path = target->path,
        .host = host,
        .protocol = target->subprotocol,
        .local_protocol_name = "client",
        .iface = target->source,
        .ssl_connection = target->tls ? LCCSCF_USE_SSL : 0,
        .opaque_user_data = (void *)(uintptr_t)id,
    };
    if (!lws_client_connect_via_info(&info) && (conn = cs_client_conn_find(client, id)))
        cs_client_conn_end(client, conn, "there is no such address: is its name right?", 0);
}

void cs_client_conn_handle_opened(chatsock_client *client, struct client_conn *conn) {
    char protocol[128];
    bool odd = false;
    conn->state = CLIENT_CONN_OPEN;
    conn->received_at = cs_clock_now(&client->clock, &client->uv);
    const char *agreed = cs_lws_header_copy(conn->wsi, WSI_TOKEN_PROTOCOL, protocol, sizeof protocol, &odd);
    client->events.opened(client->ctx, conn->id, agreed);
    cs_client_conn_flush(client, conn);
}

/* ---- trust in the server's certificate ---- */

int cs_client_conn_check_certificate(struct client_conn *conn, X509_STORE_CTX *store, bool fine) {
    if (fine)
        return 0;
    conn->objection = X509_STORE_CTX_get_error(store);
    return 1;
}

void cs_client_conn_format_objection(const struct client_conn *conn, char *text, size_t size) {
    switch (conn->objection) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        snprintf(text, size, "the server's certificate is not for %s", conn->host);
        break;
    case X509_V_ERR_CERT_HAS_EXPIRED:
        snprintf(text, size, "the server's certificate has expired");
        break;
    case X509_V_ERR_CERT_NOT_YET_VALID:
        snprintf(text, size, "the server's certificate is not valid yet: check this machine's clock");
        break;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        snprintf(text, size,
                 "this machine does not trust the issuer of the server's certificate: name a private "
                 "authority with --ca");
        break;
    default:
        snprintf(text, size, "the server's certificate: %s", X509_verify_cert_error_string(conn->objection));
    }
}

bool chatsock_authorities_are_usable(const char *file) {
    X509_STORE *store = X509_STORE_new();
    bool usable = store && X509_STORE_load_file(store, file) == 1;
    X509_STORE_free(store);
    ERR_clear_error();
    return usable;
}

/* ---- why it did not open ---- */

/* Returns who did not answer a connection in time: the machine, or what listens there. */
const char *cs_client_conn_explain_timeout(const struct client_conn *conn) {
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    if (conn->wsi && getpeername(lws_get_socket_fd(conn->wsi), (struct sockaddr *)&peer, &size) == 0)
        return "what listens there does not answer: is it a chat server?";
    return "the machine does not answer: is the address right?";
}

/* Returns what is wrong when only this side speaks TLS; otherwise NULL. */
static const char *mismatch(const struct client_conn *conn, const char *why, size_t count) {
    bool failed = conn->tls && why && memmem(why, count, "SSL", 3);
    return failed ? "TLS failed: a server without it has an address with ws://" : NULL;
}

static bool begins(const char *why, size_t count, const char *with) {
    return why && count >= strlen(with) && memcmp(why, with, strlen(with)) == 0;
}

/* Returns why the system made no connection, or the server ended it before it answered; NULL if the library knows
   better. */
static const char *unanswered(const struct client_conn *conn, const char *why, size_t count) {
    int error = 0;
    socklen_t size = sizeof error;
    if (begins(why, count, "read failed"))
        return "the server ends the connection without an answer: is it a chat server? One with TLS has wss://";
    if (!begins(why, count, "closed before established"))
        return NULL;
    if (getsockopt(lws_get_socket_fd(conn->wsi), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error)
        return strerror(error);
    return "no server answered: is it running there?";
}

void cs_client_conn_handle_failure(chatsock_client *client, struct client_conn *conn, const char *why, size_t count) {
    const char *mistaken = mismatch(conn, why, count);
    if (!mistaken)
        mistaken = unanswered(conn, why, count);
    char text[320];
    if (conn->objection)
        cs_client_conn_format_objection(conn, text, sizeof text);
    else if (mistaken)
        snprintf(text, sizeof text, "%s", mistaken);
    else
        snprintf(text, sizeof text, "%.*s", why ? (int)(count < 150 ? count : 150) : 14, why ? why : "cannot connect");
    cs_client_conn_end(client, conn, text, lws_http_client_http_response(conn->wsi));
}
