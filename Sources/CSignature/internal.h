#ifndef CSIGNATURE_INTERNAL_H
#define CSIGNATURE_INTERNAL_H

#include "csignature.h"

#include <openssl/evp.h>

struct csignature_key {
    EVP_PKEY *pkey;
    csignature_algorithm algorithm;
    bool is_private;
};

enum { CSIGNATURE_P256_HALF = 32 };

#endif
