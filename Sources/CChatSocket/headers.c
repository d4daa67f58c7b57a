/* Request headers, which libwebsockets keeps until the handshake is over. */
#include "shared.h"

#include <strings.h>

const char *cs_lws_header_copy(struct lws *wsi, enum lws_token_indexes token, char *buffer, size_t size, bool *bad) {
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

bool cs_lws_header_is_empty(struct lws *wsi, enum lws_token_indexes token) {
    char nothing[1]; /* an empty header fits; a negative result means a longer value, or no such header */
    return lws_hdr_total_length(wsi, token) == 0 && lws_hdr_copy_fragment(wsi, nothing, sizeof nothing, token, 0) == 0;
}

bool cs_token_list_contains(const char *list, const char *token) {
    size_t length = strlen(token);
    while (*list) {
        list += strspn(list, ", \t");
        size_t count = strcspn(list, ", \t");
        if (count == length && !strncasecmp(list, token, length))
            return true;
        list += count;
    }
    return false;
}
