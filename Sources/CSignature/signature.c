/* Signatures made and checked. */
#include "internal.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <unistd.h>

/* Ed25519 does its own hashing, so it has no digest. */
static const EVP_MD *digest(const csignature_key *key) {
    return key->algorithm == CSIGNATURE_EDDSA ? NULL : EVP_sha256();
}

/* Signs in OpenSSL's format. `*count` is the space on entry and the signature's length on return. */
static bool sign(const csignature_key *key, const uint8_t *message, size_t message_count, uint8_t *to, size_t *count) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool made = context && EVP_DigestSignInit(context, NULL, digest(key), NULL, key->pkey) == 1 &&
                EVP_DigestSign(context, to, count, message, message_count) == 1;
    EVP_MD_CTX_free(context);
    return made;
}

static bool check(const csignature_key *key, const uint8_t *message, size_t message_count, const uint8_t *signature,
                  size_t count) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool right = context && EVP_DigestVerifyInit(context, NULL, digest(key), NULL, key->pkey) == 1 &&
                 EVP_DigestVerify(context, signature, count, message, message_count) == 1;
    EVP_MD_CTX_free(context);
    return right;
}

bool csignature_sha256(const uint8_t *message, size_t message_count, uint8_t *sha256) {
    return EVP_Digest(message, message_count, sha256, NULL, EVP_sha256(), NULL) == 1;
}

static bool hash_file(EVP_MD_CTX *hash, int file) {
    uint8_t piece[1 << 16];
    off_t place = 0;
    for (;;) {
        ssize_t count = pread(file, piece, sizeof piece, place);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0;
        if (EVP_DigestUpdate(hash, piece, (size_t)count) != 1)
            return false;
        place += count;
    }
}

bool csignature_sha256_file(int file, uint8_t *sha256) {
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    bool done = hash && EVP_DigestInit_ex(hash, EVP_sha256(), NULL) == 1 && hash_file(hash, file) &&
                EVP_DigestFinal_ex(hash, sha256, NULL) == 1;
    EVP_MD_CTX_free(hash);
    return done;
}

/* ---- ECDSA: a token has r and s side by side; OpenSSL has them in DER ---- */

static bool put_der(const uint8_t *halves, uint8_t *der, size_t *count) {
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(halves, CSIGNATURE_P256_HALF, NULL);
    BIGNUM *s = BN_bin2bn(halves + CSIGNATURE_P256_HALF, CSIGNATURE_P256_HALF, NULL);
    if (!pair || !r || !s || ECDSA_SIG_set0(pair, r, s) != 1) {
        BN_free(r);
        BN_free(s);
        ECDSA_SIG_free(pair);
        return false;
    }
    int length = i2d_ECDSA_SIG(pair, &der);
    ECDSA_SIG_free(pair);
    *count = length > 0 ? (size_t)length : 0;
    return length > 0;
}

static bool put_halves(const uint8_t *der, size_t count, uint8_t *halves) {
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &der, (long)count);
    bool put = pair && BN_bn2binpad(ECDSA_SIG_get0_r(pair), halves, CSIGNATURE_P256_HALF) > 0 &&
               BN_bn2binpad(ECDSA_SIG_get0_s(pair), halves + CSIGNATURE_P256_HALF, CSIGNATURE_P256_HALF) > 0;
    ECDSA_SIG_free(pair);
    return put;
}

/* ---- the functions of the wall ---- */

bool csignature_verify(const csignature_key *key, const uint8_t *message, size_t message_count,
                       const uint8_t *signature, size_t signature_count) {
    uint8_t own[CSIGNATURE_BYTES];
    size_t count = sizeof own;
    bool right = false;
    switch (key->algorithm) {
    case CSIGNATURE_HS256:
        right = sign(key, message, message_count, own, &count) && count == signature_count &&
                CRYPTO_memcmp(own, signature, count) == 0;
        break;
    case CSIGNATURE_ES256:
        right = signature_count == 2 * CSIGNATURE_P256_HALF && put_der(signature, own, &count) &&
                check(key, message, message_count, own, count);
        break;
    case CSIGNATURE_RS256:
    case CSIGNATURE_EDDSA:
        right = check(key, message, message_count, signature, signature_count);
        break;
    }
    ERR_clear_error();
    return right;
}

bool csignature_is_same(const uint8_t *bytes, const uint8_t *other, size_t count) {
    return CRYPTO_memcmp(bytes, other, count) == 0;
}

size_t csignature_sign(const csignature_key *key, const uint8_t *message, size_t message_count, uint8_t *signature) {
    uint8_t der[CSIGNATURE_BYTES];
    size_t count = CSIGNATURE_BYTES;
    bool made = false;
    if (!key->is_private) {
        return 0;
    } else if (key->algorithm == CSIGNATURE_ES256) {
        made = sign(key, message, message_count, der, &count) && put_halves(der, count, signature);
        count = 2 * CSIGNATURE_P256_HALF;
    } else {
        made = sign(key, message, message_count, signature, &count);
    }
    ERR_clear_error();
    return made ? count : 0;
}
