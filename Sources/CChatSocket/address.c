/* Peers' addresses, and how many connections each has. Any thread: connections end on every loop. */
#include "internal.h"

#include <arpa/inet.h>

struct tally {
    struct tally *next;
    struct in6_addr address;
    unsigned count;
};

enum { CHAINS = 4096 };

struct addresses {
    struct tally *chains[CHAINS];
};

void cs_address_text(const struct in6_addr *address, char text[CS_ADDRESS_BYTES]) {
    if (IN6_IS_ADDR_V4MAPPED(address))
        inet_ntop(AF_INET, &address->s6_addr[12], text, CS_ADDRESS_BYTES);
    else
        inet_ntop(AF_INET6, address, text, CS_ADDRESS_BYTES);
}

struct in6_addr cs_address_of(const struct sockaddr_storage *peer) {
    struct in6_addr address = IN6ADDR_ANY_INIT;
    if (peer->ss_family == AF_INET6) {
        address = ((const struct sockaddr_in6 *)peer)->sin6_addr;
    } else if (peer->ss_family == AF_INET) {
        address.s6_addr[10] = address.s6_addr[11] = 0xFF;
        memcpy(&address.s6_addr[12], &((const struct sockaddr_in *)peer)->sin_addr, 4);
    }
    return address;
}

static struct tally **find(struct addresses *addresses, const struct in6_addr *address) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < sizeof address->s6_addr; i++)
        h = (h ^ address->s6_addr[i]) * 16777619u;
    struct tally **link = &addresses->chains[h % CHAINS];
    while (*link && memcmp(&(*link)->address, address, sizeof *address))
        link = &(*link)->next;
    return link;
}

bool cs_addresses_make(chatsock_server *server) {
    if (server->config.max_per_address)
        server->addresses = calloc(1, sizeof *server->addresses);
    return server->addresses || !server->config.max_per_address;
}

static bool enter(chatsock_server *server, const struct in6_addr *address) {
    struct tally **link = find(server->addresses, address);
    if (!*link) {
        if (!(*link = calloc(1, sizeof **link)))
            return false;
        (*link)->address = *address;
    }
    if ((*link)->count >= server->config.max_per_address)
        return false;
    (*link)->count++;
    return true;
}

bool cs_address_entered(chatsock_server *server, const struct in6_addr *address) {
    if (!server->addresses)
        return true;
    pthread_mutex_lock(&server->lock);
    bool welcome = enter(server, address);
    pthread_mutex_unlock(&server->lock);
    return welcome;
}

void cs_address_left(chatsock_server *server, const struct in6_addr *address) {
    if (!server->addresses)
        return;
    pthread_mutex_lock(&server->lock);
    struct tally **link = find(server->addresses, address), *tally = *link;
    if (tally && !--tally->count) {
        *link = tally->next;
        free(tally);
    }
    pthread_mutex_unlock(&server->lock);
}

void cs_addresses_free(chatsock_server *server) {
    for (size_t i = 0; server->addresses && i < CHAINS; i++)
        while (server->addresses->chains[i]) {
            struct tally *tally = server->addresses->chains[i];
            server->addresses->chains[i] = tally->next;
            free(tally);
        }
    free(server->addresses);
}
