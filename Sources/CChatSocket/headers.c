/* Request headers, which libwebsockets keeps until the handshake is over. */
#include "shared.h"

const char *cs_header(struct lws *wsi, enum lws_token_indexes token, char *buffer, size_t size, bool *bad) {
    int length = lws_hdr_total_length(wsi, token);
    if (length <= 0)
        return NULL;
    int copied = lws_hdr_copy(wsi, buffer, (int)size, token);
    if (copied < 0 || memchr(buffer, 0, (size_t)copied) || !chatsock_is_utf8((const uint8_t *)buffer, (size_t)copied)) {
        *bad = true;
        return NULL;
    }
    return buffer;
}

bool cs_header_is_empty(struct lws *wsi, enum lws_token_indexes token) {
    char nothing[1]; /* an empty header fits; a negative result means a longer value, or no such header */
    return lws_hdr_total_length(wsi, token) == 0 && lws_hdr_copy_fragment(wsi, nothing, sizeof nothing, token, 0) == 0;
}

const char *cs_custom_header(struct lws *wsi, const char *name, char *buffer, size_t size, bool *bad) {
    int length = lws_hdr_custom_length(wsi, name, (int)strlen(name));
    if (length <= 0)
        return NULL;
    int copied = lws_hdr_custom_copy(wsi, buffer, (int)size, name, (int)strlen(name));
    if (copied < 0 || memchr(buffer, 0, (size_t)copied)) {
        *bad = true;
        return NULL;
    }
    return buffer;
}

/* Encodes part of a query again, as a client would: libwebsockets decodes a query and joins its parts ambiguously. */
static bool put_encoded(char **to, const char *end, const char *part, size_t count) {
    static const char hex[] = "0123456789ABCDEF";
    bool named = false; /* the first '=' separates name and value; others belong to the value */
    for (size_t i = 0; i < count; i++) {
        uint8_t c = (uint8_t)part[i];
        bool plain = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c && strchr("-._~/:,", c));
        if (end - *to < 4)
            return false;
        if (plain || (c == '=' && !named)) {
            named |= c == '=';
            *(*to)++ = (char)c;
        } else {
            *(*to)++ = '%';
            *(*to)++ = hex[c >> 4];
            *(*to)++ = hex[c & 15];
        }
    }
    return true;
}

const char *cs_query(struct lws *wsi, char *buffer, size_t size, bool *too_long) {
    char part[1024], *to = buffer, *end = buffer + size - 1;
    int count, parts = 0;
    for (; (count = lws_hdr_copy_fragment(wsi, part, sizeof part, WSI_TOKEN_HTTP_URI_ARGS, parts)) >= 0; parts++) {
        if (parts && to < end)
            *to++ = '&';
        if (!put_encoded(&to, end, part, (size_t)count)) {
            *too_long = true;
            return NULL;
        }
    }
    /* For a part that does not fit, the loop above ends as it does after the last part. */
    if (lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_URI_ARGS, parts) > 0) {
        *too_long = true;
        return NULL;
    }
    *to = 0;
    return to == buffer ? NULL : buffer;
}
