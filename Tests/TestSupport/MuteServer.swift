import Glibc

/// A listening socket that sends only what a test tells it to.
package final class MuteServer {
    package let port: UInt16
    private let listener: Int32
    private var peers: [Int32] = []

    package init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (fd, length) = (listener, size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(fd, $0, length) == 0 && listen(fd, 16) == 0 && getsockname(fd, $0, &size) == 0
            }
        }
        guard bound else { throw RawPeer.Failure(description: "cannot listen: errno \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        for peer in peers { close(peer) }
        close(listener)
    }

    /// Takes one connection, reads its request, and answers with `lines`.
    package func answer(_ lines: String...) {
        _ = acceptRequest()
        say(lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    /// Takes one connection, says something, and is silent.
    package func greet(_ text: String) {
        peers.append(accept(listener, nil, nil))
        say(text)
    }

    /// Takes one connection, reads its request, and closes it.
    package func hangUp() {
        _ = acceptRequest()
        close(peers.removeLast())
    }

    /// Takes one connection and lets a real server answer its handshake; then it is silent.
    package func relayHandshake(to port: UInt16) throws {
        let relay = try RawPeer(port: port)
        relay.write(acceptRequest())
        say(try relay.readHeader())
    }

    private func acceptRequest() -> [UInt8] {
        let peer = accept(listener, nil, nil)
        peers.append(peer)
        var request = [UInt8](repeating: 0, count: 4096)
        let count = recv(peer, &request, request.count, 0)
        return Array(request.prefix(max(0, count)))
    }

    private func say(_ text: String) {
        let bytes = Array(text.utf8)
        _ = peers.last.map { send($0, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }
}
