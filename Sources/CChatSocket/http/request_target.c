/*
 * Checks the target and the origin of a request. libwebsockets decodes a path, drops "//" and resolves "..", so that
 * several spellings become one before the application compares them. Here the path is checked as it was sent.
 */
#include "http/http.h"

#include <arpa/inet.h>
#include <strings.h>

/* ---- the first line ---- */

static bool is_method(const char *line, size_t count) {
    static const char *const methods[] = {"GET ", "HEAD ", "POST "};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (count > strlen(methods[i]) && !memcmp(line, methods[i], strlen(methods[i])))
            return true;
    return false;
}

static bool is_dots(const char *segment, size_t count) {
    return (count == 1 || count == 2) && segment[0] == '.' && segment[count - 1] == '.';
}

/* One spelling for each path: visible ASCII without escapes, and no empty or dot segments. */
static bool is_plain_path(const char *path, size_t count) {
    size_t start = 1; /* of the segment; the first byte is a slash */
    for (size_t i = 1; i <= count; i++) {
        if (i < count && path[i] != '/') {
            if (path[i] <= ' ' || path[i] >= 127 || path[i] == '%')
                return false;
            continue;
        }
        if ((i == start && i < count) || is_dots(path + start, i - start))
            return false;
        start = i + 1;
    }
    return true;
}

static struct refusal refuse_path(struct cs_slice path) {
    if (is_plain_path(path.bytes, path.count))
        return (struct refusal){0};
    return (struct refusal){404, CHATSOCK_REFUSED_HANDSHAKE, NULL,
                            "Not found. A path must not contain %, // or dot segments.\n"};
}

struct refusal cs_target_check_websocket(const char *header, size_t count) {
    const char *target = memchr(header, ' ', count);
    size_t length = target ? strcspn(++target, " ?\r\n") : 0;
    if (!is_method(header, count))
        return (struct refusal){405, CHATSOCK_REFUSED_HANDSHAKE, CS_ALLOW, CS_TEXT_METHODS};
    if (!length || *target != '/')
        return (struct refusal){400, CHATSOCK_REFUSED_HANDSHAKE, NULL, "The request of a WebSocket names a path.\n"};
    return refuse_path((struct cs_slice){target, length});
}

static struct cs_slice cut(const char **at, const char *end, const char *stops) {
    struct cs_slice part = {*at, 0};
    while (*at < end && !strchr(stops, **at))
        (*at)++;
    part.count = (size_t)(*at - part.bytes);
    return part;
}

struct cs_target cs_target_parse(const char *header, size_t count) {
    const char *end = memchr(header, '\n', count), *at = memchr(header, ' ', count);
    struct cs_target target = {.path = {"/", 1}};
    end = end ? end : header + count;
    if (!at)
        return target;
    at++;
    if (at >= end)
        return target;
    if (*at != '/' && *at != '*') { /* http://AUTHORITY/PATH */
        cut(&at, end, "/ ");
        at += end - at < 2 ? end - at : 2;
        target.authority = cut(&at, end, "/? \r\n");
        target.absolute = true;
    }
    struct cs_slice path = cut(&at, end, "? \r\n");
    if (path.count)
        target.path = path;
    if (at < end && *at == '?') {
        at++;
        target.query = cut(&at, end, " \r\n");
    }
    return target;
}

/* The host of an address must be the one of the Host header: two names in one request fool what compares only one. */
static bool names_host(const struct cs_target *target, const char *host) {
    const struct cs_slice *authority = &target->authority;
    if (!target->absolute)
        return true;
    return authority->count && !memchr(authority->bytes, '@', authority->count) &&
           (!host || (strlen(host) == authority->count && !strncasecmp(host, authority->bytes, authority->count)));
}

struct refusal cs_target_check(const struct cs_target *target, const char *host) {
    if (!names_host(target, host))
        return (struct refusal){400, CHATSOCK_REFUSED_HANDSHAKE, NULL,
                                "The address of the request must name the host of the Host header.\n"};
    if (target->path.count == 1 && *target->path.bytes == '*')
        return (struct refusal){0};
    return refuse_path(target->path);
}

/* ---- the origin ---- */

/* True for a host of the loopback network, with any port. */
static bool is_loopback(const char *host) {
    char name[INET6_ADDRSTRLEN];
    struct in_addr four;
    struct in6_addr six;
    bool bracketed = *host == '[';
    size_t count = bracketed ? strcspn(++host, "]") : strcspn(host, ":");
    if (count >= sizeof name)
        return false;
    memcpy(name, host, count);
    name[count] = 0;
    if (bracketed)
        return inet_pton(AF_INET6, name, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
    return !strcasecmp(name, "localhost") || (inet_pton(AF_INET, name, &four) == 1 && *(uint8_t *)&four == 127);
}

static const char *authority_of(const char *origin) {
    const char *separator = strstr(origin, "://");
    return separator ? separator + 3 : NULL;
}

static bool is_listed(const chatsock_config *config, const char *origin) {
    for (size_t i = 0; i < config->origin_count; i++)
        if (!strcmp(config->origins[i], "*") || !strcasecmp(origin, config->origins[i]))
            return true;
    return false;
}

static bool is_host_of_listed(const chatsock_config *config, const char *host) {
    for (size_t i = 0; i < config->origin_count; i++) {
        const char *authority = authority_of(config->origins[i]);
        if (!strcmp(config->origins[i], "*") || (authority && !strcasecmp(authority, host)))
            return true;
    }
    return false;
}

/* A browser sends the origin of a page, and the page cannot change it. Other programs can send any origin, or none, so
   a request without one is allowed. This server's own pages are always allowed: the page's origin has the same host as
   the request. Other origins must be listed. */
static bool is_origin(const chatsock_config *config, const char *origin, const char *host) {
    const char *authority = origin ? authority_of(origin) : NULL;
    if (!origin || (authority && host && !strcasecmp(authority, host)))
        return true;
    return config->origins && is_listed(config, origin);
}

const char *cs_origin_check(const struct conn *conn, const char *origin, const char *host) {
    const chatsock_config *config = &conn->loop->server->config;
    if ((origin && !*origin) || (host && !*host) || !is_origin(config, origin, host))
        return "This server does not accept requests from web pages of this origin: see its --origin.\n";
    /* DNS rebinding: a page whose own name was made to resolve to this machine sends that name as Host and origin. */
    if (config->only_loopback_hosts && host && !is_loopback(host) && !is_host_of_listed(config, host))
        return "This server runs without keys: address it as localhost or 127.0.0.1, or as a listed origin.\n";
    return NULL;
}
