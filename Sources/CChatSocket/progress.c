/* How far a peer has got. A file of its own: the kernel's <linux/tcp.h> and the C library's header do not mix. */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

uint64_t cs_bytes_acknowledged(int fd);

uint64_t cs_bytes_acknowledged(int fd) {
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) ? 0 : info.tcpi_bytes_acked;
}
