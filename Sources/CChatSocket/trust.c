/* A client's trust in a server's certificate, and the reason in words if there is none. */
#include "client.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>

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
        snprintf(text, size, "this machine does not trust the issuer of the server's certificate: name a private "
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
