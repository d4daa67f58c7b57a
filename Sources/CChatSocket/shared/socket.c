/* Socket calls of the connections. */
#include "shared/socket.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
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

uint64_t cs_socket_count_acknowledged(int fd) {
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) ? 0 : info.tcpi_bytes_acked;
}
