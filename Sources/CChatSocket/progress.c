/* The progress of a peer. A separate file, because the kernel's <linux/tcp.h> and the C library's header conflict. */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

uint64_t cs_socket_count_acknowledged(int fd);

uint64_t cs_socket_count_acknowledged(int fd) {
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) ? 0 : info.tcpi_bytes_acked;
}
