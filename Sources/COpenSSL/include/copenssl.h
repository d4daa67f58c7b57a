/*
 * Signatures, as JSON Web Tokens have them, by OpenSSL's EVP functions: nothing here computes anything itself.
 *
 * Any thread; a key may be used by several at once. Bytes are borrowed for the call. OpenSSL's error queue is left
 * empty.
 */
#ifndef COPENSSL_H
#define COPENSSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct copenssl_key copenssl_key;

/* What a key is for: each has one algorithm. */
typedef enum {
    COPENSSL_HS256, /* HMAC with SHA-256 */
    COPENSSL_RS256, /* RSA, PKCS #1 v1.5, with SHA-256 */
    COPENSSL_ES256, /* ECDSA on P-256 with SHA-256; r and s, 32 bytes each */
    COPENSSL_EDDSA, /* Ed25519 */
} copenssl_algorithm;

typedef enum {
    COPENSSL_OK,
    COPENSSL_NO_KEY,      /* the bytes hold none */
    COPENSSL_UNSUPPORTED, /* a key of another kind */
    COPENSSL_WEAK,        /* RSA below 2048 bits */
} copenssl_status;

/* Each returns a key that the caller frees, or NULL, and why in `status`. */

/* One block of PEM: a public key, or a private one without a password. */
copenssl_key *_Nullable copenssl_key_from_pem(const uint8_t *pem, size_t count, copenssl_status *status);
copenssl_key *_Nullable copenssl_key_from_secret(const uint8_t *secret, size_t count, copenssl_status *status);
/* Big-endian numbers. */
copenssl_key *_Nullable copenssl_key_from_rsa(const uint8_t *n, size_t n_count, const uint8_t *e, size_t e_count,
                                              copenssl_status *status);
/* `point`: 04, then x and y, 32 bytes each. One that is not on the curve is no key. */
copenssl_key *_Nullable copenssl_key_from_p256(const uint8_t *point, size_t count, copenssl_status *status);
copenssl_key *_Nullable copenssl_key_from_ed25519(const uint8_t *bytes, size_t count, copenssl_status *status);

void copenssl_key_free(copenssl_key *key);

copenssl_algorithm copenssl_key_algorithm(const copenssl_key *key);
/* Whether it can sign, too. */
bool copenssl_key_is_private(const copenssl_key *key);

/* Whether the signature is the key's; an HMAC is compared in constant time. */
bool copenssl_verify(const copenssl_key *key, const uint8_t *message, size_t message_count, const uint8_t *signature,
                     size_t signature_count);

/* The longest signature. */
enum { COPENSSL_SIGNATURE_BYTES = 2048 };

/* Writes at most COPENSSL_SIGNATURE_BYTES; returns how many, 0 on failure. */
size_t copenssl_sign(const copenssl_key *key, const uint8_t *message, size_t message_count, uint8_t *signature);

#pragma clang assume_nonnull end

#endif
