/* Addresses: how many connections each may have, and which of them proxies report. Any thread: a table of addresses has
   a lock of its own, and networks do not change once they are made. */
#ifndef CS_ADDRESS_H
#define CS_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* proxy.c */
struct cs_network { /* the first `bits` of an address */
    struct in6_addr address;
    unsigned bits;
};
struct cs_networks {
    struct cs_network *all; /* owned: cs_networks_free() */
    size_t count;
};
/* Reads the texts; leaves out those that are no networks. Returns false when out of memory. */
bool cs_networks_make(struct cs_networks *networks, const char *const *texts, size_t count);
void cs_networks_free(struct cs_networks *networks);
bool cs_networks_contain(const struct cs_networks *networks, const struct in6_addr *address);
/* Walks back through the entries that trusted proxies have added to `list`, and finds the address of their client.
   Changes `list`. Returns false when an entry of a trusted proxy cannot be read. */
bool cs_forwarded_for_resolve(const struct cs_networks *trusted, char *list, struct in6_addr *address);
/* Parses a PROXY header. Returns its length; 0 when it is incomplete; -1 when the bytes are none, or when the proxy
   speaks for a client without an address. `*known`: it names an address; otherwise the proxy speaks for itself, or for
   a client of which it says nothing. */
ssize_t cs_proxy_header_parse(const uint8_t *bytes, size_t count, struct in6_addr *address, bool *known);

/* address.c */
enum { CS_ADDRESS_BYTES = INET6_ADDRSTRLEN };
void cs_address_format(const struct in6_addr *address, char text[CS_ADDRESS_BYTES]);
struct in6_addr cs_address_from_socket(const struct sockaddr_storage *peer);

struct cs_address_limits { /* for one address; 0: no limit */
    unsigned connections;
    unsigned per_second; /* long-term average of new connections; a burst of five seconds' worth */
    bool of_loopback; /* they apply to this machine's own addresses, too */
};
struct addresses;
/* Trusted addresses have no limits; the networks are borrowed until cs_addresses_free(). The caller owns the result;
   NULL: out of memory. */
struct addresses *cs_addresses_make(const struct cs_address_limits *limits, const struct cs_networks *trusted);
void cs_addresses_free(struct addresses *addresses);
enum cs_admission { CS_ADMITTED, CS_TOO_MANY, CS_TOO_FAST };
/* Counts a new connection, unless the address is over a limit; `now` in ms. */
enum cs_admission cs_addresses_admit_connection(struct addresses *addresses, const struct in6_addr *address,
                                                uint64_t now);
/* Counts a further request on a connection of the address against its rate. */
enum cs_admission cs_addresses_admit_request(struct addresses *addresses, const struct in6_addr *address, uint64_t now);
void cs_addresses_remove_connection(struct addresses *addresses, const struct in6_addr *address);

#endif
