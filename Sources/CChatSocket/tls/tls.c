/* Certificates: the context of new TLS connections, and its replacement while the server runs. */
#include "tls/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>

/* For TLS 1.2, only suites with forward secrecy and AEAD. All suites of TLS 1.3 have both. */
static const char ciphers_of_1_2[] = "ECDHE+AESGCM:ECDHE+CHACHA20";

static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *count, const unsigned char *offered,
                           unsigned offered_count, void *unused) {
    static const unsigned char ours[] = "\x08http/1.1";
    (void)ssl, (void)unused;
    int found =
        SSL_select_next_proto((unsigned char **)(uintptr_t)out, count, ours, sizeof ours - 1, offered, offered_count);
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static int no_password(char *buffer, int size, int writing, void *unused) {
    (void)buffer, (void)size, (void)writing, (void)unused;
    return -1; /* instead of a question on the terminal */
}

static void format_error(const char *file, char *why, size_t size) {
    unsigned long first = ERR_peek_error();
    bool of_system = ERR_GET_LIB(first) == ERR_LIB_SYS;
    const char *reason = of_system ? strerror(ERR_GET_REASON(first)) : ERR_reason_error_string(first);
    snprintf(why, size, "%s: %s", file, reason ? reason : "cannot be used");
    ERR_clear_error();
}

static SSL_CTX *new_context(void) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (!context || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_cipher_list(context, ciphers_of_1_2) != 1) {
        SSL_CTX_free(context); /* a context without them would accept what this server must refuse */
        return NULL;
    }
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS); /* an idle connection holds no buffers */
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF); /* a returning client brings its session ticket */
    SSL_CTX_set_num_tickets(context, 1);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    SSL_CTX_set_default_passwd_cb(context, no_password);
    return context;
}

/* Returns NULL and the reason unless both files can be used together. Nothing is in use before that. */
static SSL_CTX *load(const char *certificate, const char *key, char *why, size_t size) {
    ERR_clear_error();
    SSL_CTX *context = new_context();
    const char *culprit = NULL;
    if (!context || SSL_CTX_use_certificate_chain_file(context, certificate) != 1)
        culprit = certificate;
    else if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1 ||
             SSL_CTX_check_private_key(context) != 1)
        culprit = key;
    if (!culprit)
        return context;
    format_error(culprit, why, size);
    SSL_CTX_free(context);
    return NULL;
}

bool chatsock_certificate_is_usable(const char *certificate, const char *key, char *why, size_t size) {
    SSL_CTX *context = load(certificate, key, why, size);
    SSL_CTX_free(context);
    return context;
}

bool cs_tls_load(chatsock_server *server) {
    char why[256];
    if (!server->config.certificate)
        return true;
    server->tls = load(server->config.certificate, server->config.key, why, sizeof why);
    return server->tls;
}

bool chatsock_reload_certificate(chatsock_server *server, char *why, size_t size) {
    if (!server->config.certificate) {
        snprintf(why, size, "the server speaks no TLS");
        return false;
    }
    SSL_CTX *next = load(server->config.certificate, server->config.key, why, size);
    if (!next)
        return false;
    pthread_mutex_lock(&server->lock);
    SSL_CTX *last = server->tls;
    server->tls = next;
    pthread_mutex_unlock(&server->lock);
    SSL_CTX_free(last); /* connections made from it keep a reference */
    return true;
}

SSL *cs_tls_session_new(chatsock_server *server) {
    pthread_mutex_lock(&server->lock);
    SSL *ssl = SSL_new(server->tls);
    pthread_mutex_unlock(&server->lock);
    return ssl;
}

void cs_tls_free(chatsock_server *server) {
    SSL_CTX_free(server->tls);
    server->tls = NULL;
}
