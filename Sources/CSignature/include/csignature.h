/*
 * Signatures of JSON Web Tokens, by OpenSSL's EVP functions.
 *
 * All functions may be called from any thread, and several threads may use one key. Bytes are borrowed for the call.
 * OpenSSL's error queue is left empty.
 */
#ifndef CSIGNATURE_H
#define CSIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct csignature_key csignature_key;

/* The algorithm of a key: each has exactly one. */
typedef enum {
    CSIGNATURE_HS256, /* HMAC with SHA-256 */
    CSIGNATURE_RS256, /* RSA, PKCS #1 v1.5, with SHA-256 */
    CSIGNATURE_ES256, /* ECDSA on P-256 with SHA-256; r and s, 32 bytes each */
    CSIGNATURE_EDDSA, /* Ed25519 */
} csignature_algorithm;

typedef enum {
    CSIGNATURE_OK,
    CSIGNATURE_NO_KEY,      /* the bytes hold no key */
    CSIGNATURE_UNSUPPORTED, /* a key of another kind */
    CSIGNATURE_WEAK,        /* RSA below 2048 bits */
} csignature_status;

/* These functions return a key that the caller frees, or NULL, and set `status`. */

/* One block of PEM: a public key, or a private one without a password. */
csignature_key *_Nullable csignature_key_from_pem(const uint8_t *pem, size_t count, csignature_status *status);
csignature_key *_Nullable csignature_key_from_secret(const uint8_t *secret, size_t count, csignature_status *status);
/* Both numbers are big-endian. */
csignature_key *_Nullable csignature_key_from_rsa(const uint8_t *n, size_t n_count, const uint8_t *e, size_t e_count,
                                                  csignature_status *status);
/* `point`: 04, then x and y, 32 bytes each. A point off the curve is not a key. */
csignature_key *_Nullable csignature_key_from_p256(const uint8_t *point, size_t count, csignature_status *status);
csignature_key *_Nullable csignature_key_from_ed25519(const uint8_t *bytes, size_t count, csignature_status *status);

void csignature_key_free(csignature_key *key);

csignature_algorithm csignature_key_algorithm(const csignature_key *key);
/* Returns whether the key can also sign. */
bool csignature_key_is_private(const csignature_key *key);

/* Returns whether the signature is the key's. An HMAC is compared in constant time. */
bool csignature_verify(const csignature_key *key, const uint8_t *message, size_t message_count,
                       const uint8_t *signature, size_t signature_count);

/* Writes the SHA-256 of a message, and returns whether OpenSSL had the memory for it. */
enum { CSIGNATURE_SHA256_BYTES = 32 };
bool csignature_sha256(const uint8_t *message, size_t message_count, uint8_t *sha256);
/* The same of a file, from its beginning to its end, in pieces. False also when the file cannot be read. */
bool csignature_sha256_file(int file, uint8_t *sha256);

/* The longest signature. */
enum { CSIGNATURE_BYTES = 2048 };

/* Writes at most CSIGNATURE_BYTES, and returns their number; 0 on failure. */
size_t csignature_sign(const csignature_key *key, const uint8_t *message, size_t message_count, uint8_t *signature);

/* Returns whether both have the same `count` bytes, in a time that does not depend on where they differ. */
bool csignature_is_same(const uint8_t *bytes, const uint8_t *other, size_t count);

#pragma clang assume_nonnull end

#endif
