/* Keys from their storage formats. */
#include "internal.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

static bool is_p256(const EVP_PKEY *pkey) {
    char name[64];
    size_t count = 0;
    return EVP_PKEY_get_group_name(pkey, name, sizeof name, &count) == 1 && !strcmp(name, "prime256v1");
}

static csignature_status classify(const EVP_PKEY *pkey, csignature_algorithm *algorithm) {
    if (EVP_PKEY_is_a(pkey, "HMAC")) {
        *algorithm = CSIGNATURE_HS256;
    } else if (EVP_PKEY_is_a(pkey, "ED25519")) {
        *algorithm = CSIGNATURE_EDDSA;
    } else if (EVP_PKEY_is_a(pkey, "EC") && is_p256(pkey)) {
        *algorithm = CSIGNATURE_ES256;
    } else if (EVP_PKEY_is_a(pkey, "RSA")) {
        *algorithm = CSIGNATURE_RS256;
        return EVP_PKEY_get_bits(pkey) < 2048 ? CSIGNATURE_WEAK : CSIGNATURE_OK;
    } else {
        return CSIGNATURE_UNSUPPORTED;
    }
    return CSIGNATURE_OK;
}

/* Takes ownership of `pkey`, which may be NULL. */
static csignature_key *wrap(EVP_PKEY *pkey, bool is_private, csignature_status *status) {
    csignature_algorithm algorithm = CSIGNATURE_HS256;
    *status = pkey ? classify(pkey, &algorithm) : CSIGNATURE_NO_KEY;
    ERR_clear_error();
    csignature_key *key = *status == CSIGNATURE_OK ? malloc(sizeof *key) : NULL;
    if (!key) {
        EVP_PKEY_free(pkey);
        return NULL;
    }
    *key = (csignature_key){pkey, algorithm, is_private};
    return key;
}

/* Refuses a key with a password, instead of prompting for it. */
static int no_password(char *buffer, int size, int writing, void *context) {
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

csignature_key *csignature_key_from_pem(const uint8_t *pem, size_t count, csignature_status *status) {
    BIO *bio = count <= 1 << 20 ? BIO_new_mem_buf(pem, (int)count) : NULL;
    EVP_PKEY *pkey = bio ? PEM_read_bio_PUBKEY(bio, NULL, no_password, NULL) : NULL;
    bool is_private = false;
    if (bio && !pkey && BIO_reset(bio) == 1) {
        pkey = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
        is_private = pkey != NULL;
    }
    BIO_free(bio);
    return wrap(pkey, is_private, status);
}

csignature_key *csignature_key_from_secret(const uint8_t *secret, size_t count, csignature_status *status) {
    return wrap(EVP_PKEY_new_raw_private_key(EVP_PKEY_HMAC, NULL, secret, count), true, status);
}

csignature_key *csignature_key_from_ed25519(const uint8_t *bytes, size_t count, csignature_status *status) {
    return wrap(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, count), false, status);
}

/* Takes ownership of `build`, which may be NULL. */
static EVP_PKEY *make(const char *type, OSSL_PARAM_BLD *build) {
    EVP_PKEY *pkey = NULL;
    OSSL_PARAM *params = build ? OSSL_PARAM_BLD_to_param(build) : NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (!params || !context || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &pkey, EVP_PKEY_PUBLIC_KEY, params) != 1)
        pkey = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    return pkey;
}

csignature_key *csignature_key_from_rsa(const uint8_t *n, size_t n_count, const uint8_t *e, size_t e_count,
                                        csignature_status *status) {
    bool fits = n_count <= CSIGNATURE_BYTES && e_count <= 8;
    BIGNUM *modulus = fits ? BN_bin2bn(n, (int)n_count, NULL) : NULL;
    BIGNUM *exponent = fits ? BN_bin2bn(e, (int)e_count, NULL) : NULL;
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    EVP_PKEY *pkey = NULL;
    if (modulus && exponent && build && OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, modulus) &&
        OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, exponent))
        pkey = make("RSA", build);
    else
        OSSL_PARAM_BLD_free(build);
    BN_free(modulus);
    BN_free(exponent);
    return wrap(pkey, false, status);
}

csignature_key *csignature_key_from_p256(const uint8_t *point, size_t count, csignature_status *status) {
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    EVP_PKEY *pkey = NULL;
    if (build && OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) &&
        OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point, count))
        pkey = make("EC", build);
    else
        OSSL_PARAM_BLD_free(build);
    return wrap(pkey, false, status);
}

void csignature_key_free(csignature_key *key) {
    EVP_PKEY_free(key->pkey);
    free(key);
}

csignature_algorithm csignature_key_algorithm(const csignature_key *key) {
    return key->algorithm;
}

bool csignature_key_is_private(const csignature_key *key) {
    return key->is_private;
}
