#ifndef COPENSSL_INTERNAL_H
#define COPENSSL_INTERNAL_H

#include "copenssl.h"

#include <openssl/evp.h>

struct copenssl_key {
    EVP_PKEY *pkey;
    copenssl_algorithm algorithm;
    bool is_private;
};

enum { COPENSSL_P256_HALF = 32 };

#endif
