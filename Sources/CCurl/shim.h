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

/* Of `size * count` bytes it returns the number that it took or gave. */
typedef size_t (*ccurl_bytes)(char *_Nonnull bytes, size_t size, size_t count, void *_Nullable context);

/* Uploads `count` bytes, which `read` gives. The context is borrowed until the transfer ends. */
static inline CURLcode ccurl_set_source(CURL *_Nonnull curl, curl_off_t count, ccurl_bytes _Nonnull read,
                                        curl_seek_callback _Nonnull seek, void *_Nullable context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    code = code ? code : curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, count);
    code = code ? code : curl_easy_setopt(curl, CURLOPT_READFUNCTION, read);
    code = code ? code : curl_easy_setopt(curl, CURLOPT_READDATA, context);
    code = code ? code : curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, seek);
    return code ? code : curl_easy_setopt(curl, CURLOPT_SEEKDATA, context);
}

/* Passes on the answer: its header lines, and its body. The context is borrowed until the transfer ends. */
static inline CURLcode ccurl_set_sink(CURL *_Nonnull curl, ccurl_bytes _Nonnull header, ccurl_bytes _Nonnull body,
                                      void *_Nullable context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, header);
    code = code ? code : curl_easy_setopt(curl, CURLOPT_HEADERDATA, context);
    code = code ? code : curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, body);
    return code ? code : curl_easy_setopt(curl, CURLOPT_WRITEDATA, context);
}

/* Calls `progress` as bytes go and at least once a second; if it returns another number than 0, the transfer ends. */
static inline CURLcode ccurl_set_progress(CURL *_Nonnull curl, curl_xferinfo_callback _Nonnull progress,
                                          void *_Nullable context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    code = code ? code : curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, progress);
    return code ? code : curl_easy_setopt(curl, CURLOPT_XFERINFODATA, context);
}
