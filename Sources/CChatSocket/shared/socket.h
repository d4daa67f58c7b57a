/* The system's sockets. Any thread. Includes no header of sockets: <linux/tcp.h> and <netinet/tcp.h> conflict. */
#ifndef CS_SOCKET_H
#define CS_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

/* Discards input, up to a limit. Returns true when no more will come. Closing a socket that has unread input resets the
   connection, and the peer would lose what was sent. */
bool cs_socket_discard_input(int fd);
/* The bytes that the peer's kernel has acknowledged since the connection began; 0 when the system does not know. */
uint64_t cs_socket_count_acknowledged(int fd);

#endif
