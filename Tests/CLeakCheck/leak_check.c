#include "leak_check.h"

#include <openssl/crypto.h>
#include <stdlib.h>

/* Missing where no sanitizer is. */
__attribute__((weak)) void __lsan_do_leak_check(void);

__attribute__((constructor)) static void check_first(void) {
    if (!__lsan_do_leak_check) {
        return;
    }
    /* The function that is registered last is called first. libcrypto registers its end with the first option that is
       asked for. */
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, NULL);
    atexit(__lsan_do_leak_check);
}
