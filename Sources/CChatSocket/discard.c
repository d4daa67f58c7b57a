/* Discards input: to close a socket that has unread input would reset the connection, and the peer would lose what was
   sent. */
#include "server.h"

#include <errno.h>
#include <sys/socket.h>

enum { DISCARDS_PER_TURN = 16 };

bool cs_socket_discard_input(int fd) {
    char waste[4096];
    for (int i = 0; i < DISCARDS_PER_TURN; i++) {
        ssize_t count = recv(fd, waste, sizeof waste, MSG_DONTWAIT);
        if (count <= 0)
            return !count || (errno != EAGAIN && errno != EINTR);
    }
    return false;
}
