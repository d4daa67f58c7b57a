#pragma once
#include <curl/curl.h>

/* Wrappers of curl_easy_setopt() and curl_easy_getinfo(), whose variadic arguments Swift cannot pass. */
static inline CURLcode ccurl_set_number(CURL *_Nonnull curl, CURLoption option, long value) {
    return curl_easy_setopt(curl, option, value);
}

/* curl copies the text, except that of CURLOPT_POSTFIELDS. */
static inline CURLcode ccurl_set_text(CURL *_Nonnull curl, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(curl, option, value);
}

/* Borrowed until the transfer ends. */
static inline CURLcode ccurl_set_body(CURL *_Nonnull curl, const void *_Nullable bytes, size_t count) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code ? code : curl_easy_setopt(curl, CURLOPT_POSTFIELDS, bytes);
}

/* Borrowed until the transfer ends. */
static inline CURLcode ccurl_set_headers(CURL *_Nonnull curl, const struct curl_slist *_Nullable headers) {
    return curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
}

static inline size_t ccurl_drop(char *_Nonnull bytes, size_t size, size_t count, void *_Nullable context) {
    (void)bytes;
    (void)context;
    return size * count;
}

/* Ignores the bodies of answers. */
static inline CURLcode ccurl_ignore_answer(CURL *_Nonnull curl) {
    return curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ccurl_drop);
}

/* The status of the answer; 0 while there is none. */
static inline long ccurl_status(CURL *_Nonnull curl) {
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}
