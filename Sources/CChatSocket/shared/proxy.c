/* Trusted proxies, and the addresses of their clients in PROXY headers and X-Forwarded-For. */
#include "shared/address.h"
#include "chatsocket.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum { V1_BYTES = 107, V2_PREFACE = 16, V2_ADDRESSES = 4096 };

/* ---- addresses in text ---- */

static struct in6_addr map_ipv4(const struct in_addr *address) {
    struct in6_addr whole = IN6ADDR_ANY_INIT;
    whole.s6_addr[10] = whole.s6_addr[11] = 0xFF;
    memcpy(&whole.s6_addr[12], address, 4);
    return whole;
}

static bool read_address(const char *text, struct in6_addr *address) {
    struct in_addr four;
    if (inet_pton(AF_INET6, text, address) == 1)
        return true;
    if (inet_pton(AF_INET, text, &four) != 1)
        return false;
    *address = map_ipv4(&four);
    return true;
}

/* Reads a number of digits only, up to `most`. */
static bool read_number(const char *text, unsigned most, unsigned *number) {
    size_t count = strlen(text);
    if (!count || count > 5 || strspn(text, "0123456789") != count)
        return false;
    *number = (unsigned)strtoul(text, NULL, 10);
    return *number <= most;
}

/* ---- trusted networks ---- */

static bool read_network(const char *text, struct cs_network *network) {
    char address[CS_ADDRESS_BYTES + 4];
    size_t count = strcspn(text, "/");
    unsigned bits = 128;
    if (count >= sizeof address)
        return false;
    memcpy(address, text, count);
    address[count] = 0;
    if (!read_address(address, &network->address))
        return false;
    bool is_four = !strchr(address, ':');
    if (text[count] && !read_number(text + count + 1, is_four ? 32 : 128, &bits))
        return false;
    network->bits = text[count] && is_four ? bits + 96 : bits;
    return true;
}

bool chatsock_is_network(const char *text) {
    struct cs_network network;
    return read_network(text, &network);
}

static bool is_in(const struct in6_addr *address, const struct cs_network *network) {
    unsigned whole = network->bits / 8, rest = network->bits % 8;
    if (memcmp(address, &network->address, whole))
        return false;
    uint8_t mask = (uint8_t)(0xFF00 >> rest);
    return !rest || !((address->s6_addr[whole] ^ network->address.s6_addr[whole]) & mask);
}

bool cs_networks_make(struct cs_networks *networks, const char *const *texts, size_t count) {
    networks->all = calloc(count + 1, sizeof *networks->all);
    for (size_t i = 0; networks->all && i < count; i++)
        if (read_network(texts[i], &networks->all[networks->count]))
            networks->count++;
    return networks->all;
}

void cs_networks_free(struct cs_networks *networks) {
    free(networks->all);
    *networks = (struct cs_networks){0};
}

bool cs_networks_contain(const struct cs_networks *networks, const struct in6_addr *address) {
    for (size_t i = 0; i < networks->count; i++)
        if (is_in(address, &networks->all[i]))
            return true;
    return false;
}

/* ---- X-Forwarded-For ---- */

/* Reads one entry: an address, with an optional port. An IPv6 address with a port is in brackets. */
static bool read_entry(char *text, struct in6_addr *address) {
    char *end = strchr(text, ']');
    if (*text == '[' && end) {
        *end = 0;
        return read_address(text + 1, address);
    }
    char *colon = strchr(text, ':');
    if (colon && colon == strrchr(text, ':'))
        *colon = 0;
    return read_address(text, address);
}

bool cs_forwarded_for_resolve(const struct cs_networks *trusted, char *list, struct in6_addr *address) {
    struct in6_addr next;
    while (cs_networks_contain(trusted, address)) {
        char *comma = strrchr(list, ','), *entry = comma ? comma + 1 : list;
        entry += strspn(entry, " \t");
        for (size_t count = strlen(entry); count && strchr(" \t", entry[count - 1]);)
            entry[--count] = 0;
        if (!read_entry(entry, &next))
            return false;
        *address = next;
        if (!comma)
            return true;
        *comma = 0;
    }
    return true; /* the earlier entries come from addresses that are not trusted */
}

/* ---- PROXY protocol ---- */

/* Cuts the next word off a line. */
static char *cut_word(char **line) {
    char *start = *line, *end = start + strcspn(start, " ");
    *line = *end ? end + 1 : end;
    *end = 0;
    return start;
}

static bool read_v1(char *line, struct in6_addr *address, bool *known) {
    struct in6_addr source, own;
    unsigned port;
    char *family = cut_word(&line);
    *known = false;
    if (!strcmp(family, "UNKNOWN"))
        return true;
    bool six = !strcmp(family, "TCP6");
    if (!six && strcmp(family, "TCP4"))
        return false;
    char *from = cut_word(&line), *to = cut_word(&line), *from_port = cut_word(&line), *to_port = cut_word(&line);
    if (*line || !read_address(from, &source) || !read_address(to, &own) || six != !!strchr(from, ':'))
        return false;
    if (!read_number(from_port, 65535, &port) || !read_number(to_port, 65535, &port))
        return false;
    *address = source;
    *known = true;
    return true;
}

static ssize_t parse_v1(const uint8_t *bytes, size_t count, struct in6_addr *address, bool *known) {
    static const char start[] = "PROXY ";
    char line[V1_BYTES + 1];
    size_t least = count < sizeof start - 1 ? count : sizeof start - 1;
    if (memcmp(bytes, start, least))
        return -1;
    const uint8_t *end = memchr(bytes, '\n', count < V1_BYTES ? count : V1_BYTES);
    if (!end)
        return count < V1_BYTES ? 0 : -1;
    size_t length = (size_t)(end + 1 - bytes);
    if (length < sizeof start + 2 || end[-1] != '\r' || memchr(bytes, 0, length))
        return -1;
    memcpy(line, bytes + sizeof start - 1, length - (sizeof start - 1));
    line[length - (sizeof start - 1) - 2] = 0;
    return read_v1(line, address, known) ? (ssize_t)length : -1;
}

static const char signature[] = "\r\n\r\n\0\r\nQUIT\n";

static ssize_t parse_v2(const uint8_t *bytes, size_t count, struct in6_addr *address, bool *known) {
    if (count < V2_PREFACE)
        return 0;
    size_t length = (size_t)bytes[14] << 8 | bytes[15];
    unsigned command = bytes[12], family = bytes[13];
    *known = false;
    if ((command != 0x20 && command != 0x21) || length > V2_ADDRESSES)
        return -1;
    bool four_bytes = family == 0x11 && length >= 12, sixteen = family == 0x21 && length >= 36;
    if (command == 0x21 && !four_bytes && !sixteen)
        return -1; /* a client without an address that could be counted */
    if (count < V2_PREFACE + length)
        return 0;
    struct in_addr four;
    memcpy(&four, bytes + V2_PREFACE, length < sizeof four ? 0 : sizeof four);
    *known = command == 0x21;
    if (*known && four_bytes)
        *address = map_ipv4(&four);
    else if (*known)
        memcpy(address, bytes + V2_PREFACE, sizeof *address);
    return (ssize_t)(V2_PREFACE + length);
}

ssize_t cs_proxy_header_parse(const uint8_t *bytes, size_t count, struct in6_addr *address, bool *known) {
    size_t least = count < sizeof signature - 1 ? count : sizeof signature - 1;
    if (!count)
        return 0;
    if (memcmp(bytes, signature, least))
        return parse_v1(bytes, count, address, known);
    return parse_v2(bytes, count, address, known);
}
