/* Addresses: how many connections each may have, and which of them proxies report. Any thread. */
#ifndef CS_ADDRESS_H
#define CS_ADDRESS_H

#include "server.h"

struct cs_network { /* the first `bits` of an address */
    struct in6_addr address;
    unsigned bits;
};

/* address.c */
void cs_address_text(const struct in6_addr *address, char text[CS_ADDRESS_BYTES]);
struct in6_addr cs_address_of(const struct sockaddr_storage *peer);
bool cs_addresses_make(chatsock_server *server);
enum cs_admission { CS_WELCOME, CS_TOO_MANY, CS_TOO_FAST };
/* Counts a new connection, unless the address is over a limit; `now` in ms. */
enum cs_admission cs_address_enter(chatsock_server *server, const struct in6_addr *address, uint64_t now);
void cs_address_left(chatsock_server *server, const struct in6_addr *address);
void cs_addresses_free(chatsock_server *server);

/* proxy.c */
bool cs_network_read(const char *text, struct cs_network *network);
bool cs_trusted_make(chatsock_server *server);
bool cs_is_trusted(const chatsock_server *server, const struct in6_addr *address);
/* Walks back through the entries that trusted proxies have added to `list`, and finds the address of their client.
   Changes `list`. Returns false when an entry of a trusted proxy cannot be read. */
bool cs_forwarded_for(const chatsock_server *server, char *list, struct in6_addr *address);
/* Parses a PROXY header. Returns its length; 0 when it is incomplete; -1 when the bytes are none, or when the proxy
   speaks for a client without an address. `*known`: it names an address; otherwise the proxy speaks for itself. */
ssize_t cs_proxy_parse(const uint8_t *bytes, size_t count, struct in6_addr *address, bool *known);

#endif
