/* Counts connections for each peer address, and limits how fast an address makes them. Any thread. */
#include "shared/address.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    struct tally *next;
    struct in6_addr address;
    unsigned count;
    uint64_t tokens, filled; /* thousandths of a token; the time of the last refill in ms */
};

enum { CHAINS = 4096, TOKEN = 1000, BURST_SECONDS = 5 };

struct addresses {
    struct cs_address_limits limits;
    const struct cs_networks *trusted;
    pthread_mutex_t lock; /* the two lines below */
    struct tally *chains[CHAINS];
    size_t swept;
};

void cs_address_format(const struct in6_addr *address, char text[CS_ADDRESS_BYTES]) {
    if (IN6_IS_ADDR_V4MAPPED(address))
        inet_ntop(AF_INET, &address->s6_addr[12], text, CS_ADDRESS_BYTES);
    else
        inet_ntop(AF_INET6, address, text, CS_ADDRESS_BYTES);
}

struct in6_addr cs_address_from_socket(const struct sockaddr_storage *peer) {
    struct in6_addr address = IN6ADDR_ANY_INIT;
    if (peer->ss_family == AF_INET6) {
        address = ((const struct sockaddr_in6 *)peer)->sin6_addr;
    } else if (peer->ss_family == AF_INET) {
        address.s6_addr[10] = address.s6_addr[11] = 0xFF;
        memcpy(&address.s6_addr[12], &((const struct sockaddr_in *)peer)->sin_addr, 4);
    }
    return address;
}

/* Returns the address under which a peer is counted. All addresses of one IPv6 /64 network count as one, because a
   single machine can have as many of them as it likes. */
static struct in6_addr key_of(const struct in6_addr *address) {
    struct in6_addr key = *address;
    if (!IN6_IS_ADDR_V4MAPPED(address))
        memset(&key.s6_addr[8], 0, 8);
    return key;
}

static struct tally **chain_of(struct addresses *addresses, const struct in6_addr *key) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < sizeof key->s6_addr; i++)
        h = (h ^ key->s6_addr[i]) * 16777619u;
    return &addresses->chains[h % CHAINS];
}

static struct tally **find(struct addresses *addresses, const struct in6_addr *key) {
    struct tally **link = chain_of(addresses, key);
    while (*link && memcmp(&(*link)->address, key, sizeof *key))
        link = &(*link)->next;
    return link;
}

struct addresses *cs_addresses_make(const struct cs_address_limits *limits, const struct cs_networks *trusted) {
    struct addresses *addresses = calloc(1, sizeof *addresses);
    if (!addresses)
        return NULL;
    addresses->limits = *limits;
    addresses->trusted = trusted;
    pthread_mutex_init(&addresses->lock, NULL);
    return addresses;
}

static bool is_loopback(const struct in6_addr *address) {
    return IN6_IS_ADDR_LOOPBACK(address) || (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127);
}

static bool is_exempt(const struct addresses *addresses, const struct in6_addr *address) {
    const struct cs_address_limits *limits = &addresses->limits;
    return (!limits->connections && !limits->per_second) || (!limits->of_loopback && is_loopback(address)) ||
           cs_networks_contain(addresses->trusted, address);
}

static uint64_t capacity(const struct addresses *addresses) {
    return (uint64_t)addresses->limits.per_second * BURST_SECONDS * TOKEN;
}

/* Adds the tokens for the time since the last refill, in thousandths, up to the capacity. */
static void fill(const struct addresses *addresses, struct tally *tally, uint64_t now) {
    uint64_t most = capacity(addresses), passed = now > tally->filled ? now - tally->filled : 0;
    if (passed > BURST_SECONDS * 1000)
        passed = BURST_SECONDS * 1000;
    tally->tokens += passed * addresses->limits.per_second;
    if (tally->tokens > most)
        tally->tokens = most;
    tally->filled = now;
}

/* Forgets the addresses of one chain that have no connection and all their tokens. */
static void sweep(struct addresses *addresses, struct tally **link, uint64_t now) {
    while (*link) {
        struct tally *tally = *link;
        fill(addresses, tally, now);
        if (tally->count || tally->tokens < capacity(addresses)) {
            link = &tally->next;
        } else {
            *link = tally->next;
            free(tally);
        }
    }
}

static enum cs_admission admit_connection(struct addresses *addresses, const struct in6_addr *key, uint64_t now) {
    const struct cs_address_limits *limits = &addresses->limits;
    sweep(addresses, &addresses->chains[addresses->swept++ % CHAINS], now);
    struct tally **link = find(addresses, key), *tally = *link;
    if (!tally) {
        if (!(tally = *link = calloc(1, sizeof *tally)))
            return CS_TOO_MANY;
        *tally = (struct tally){.address = *key, .tokens = capacity(addresses), .filled = now};
    }
    fill(addresses, tally, now);
    if (limits->connections && tally->count >= limits->connections)
        return CS_TOO_MANY;
    if (limits->per_second && tally->tokens < TOKEN)
        return CS_TOO_FAST;
    tally->tokens -= limits->per_second ? TOKEN : 0;
    tally->count++;
    return CS_ADMITTED;
}

enum cs_admission cs_addresses_admit_connection(struct addresses *addresses, const struct in6_addr *address,
                                                uint64_t now) {
    if (is_exempt(addresses, address))
        return CS_ADMITTED;
    struct in6_addr key = key_of(address);
    pthread_mutex_lock(&addresses->lock);
    enum cs_admission admission = admit_connection(addresses, &key, now);
    pthread_mutex_unlock(&addresses->lock);
    return admission;
}

static enum cs_admission admit_request(struct addresses *addresses, const struct in6_addr *key, uint64_t now) {
    struct tally *tally = *find(addresses, key);
    if (!tally || !addresses->limits.per_second)
        return CS_ADMITTED;
    fill(addresses, tally, now);
    if (tally->tokens < TOKEN)
        return CS_TOO_FAST;
    tally->tokens -= TOKEN;
    return CS_ADMITTED;
}

enum cs_admission cs_addresses_admit_request(struct addresses *addresses, const struct in6_addr *address,
                                             uint64_t now) {
    if (is_exempt(addresses, address))
        return CS_ADMITTED;
    struct in6_addr key = key_of(address);
    pthread_mutex_lock(&addresses->lock);
    enum cs_admission admission = admit_request(addresses, &key, now);
    pthread_mutex_unlock(&addresses->lock);
    return admission;
}

void cs_addresses_remove_connection(struct addresses *addresses, const struct in6_addr *address) {
    if (is_exempt(addresses, address))
        return;
    struct in6_addr key = key_of(address);
    pthread_mutex_lock(&addresses->lock);
    struct tally *tally = *find(addresses, &key);
    if (tally && tally->count)
        tally->count--; /* a sweep forgets the address when its tokens are back */
    pthread_mutex_unlock(&addresses->lock);
}

void cs_addresses_free(struct addresses *addresses) {
    for (size_t i = 0; addresses && i < CHAINS; i++)
        while (addresses->chains[i]) {
            struct tally *tally = addresses->chains[i];
            addresses->chains[i] = tally->next;
            free(tally);
        }
    if (addresses)
        pthread_mutex_destroy(&addresses->lock);
    free(addresses);
}
