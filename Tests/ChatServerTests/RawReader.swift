import ChatWire
import Glibc

/// A client of one bare socket that counts every byte. It speaks short frames, and holds its thread while it reads.
final class RawReader {
    private let socket: Int32
    private var buffered: [UInt8] = []

    /// - Parameter receiveBuffer: the socket's, in bytes: a small one is soon full.
    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let refused = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard refused == 0 else { throw Unexpected() }
        try write(
            Array(
                """
                GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
                """.utf8))
        while try take(1) != [13] || take(3) != [10, 13, 10] {}
    }

    deinit {
        close(socket)
    }

    func say(_ frame: ClientFrame) throws {
        try say([frame])
    }

    /// All in one packet, if that is not too long.
    func say(_ frames: [ClientFrame]) throws {
        let bytes = frames.map(\.json).map { payload in
            let length = [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
            return [0x81] + length + [0, 0, 0, 0] + payload  // a mask of zeros changes nothing
        }
        try write(Array(bytes.joined()))
    }

    /// The payload of the next message, its fragments together.
    func next() throws -> [UInt8] {
        var payload: [UInt8] = []
        while true {
            let head = try take(2)
            var length = Int(head[1])
            if length >= 126 { length = try take(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
            payload += try take(length)
            if head[0] & 0x80 != 0 { return payload }
        }
    }

    func nextFrame() throws -> ServerFrame {
        try ServerFrame(json: next())
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while buffered.count < count {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let got = recv(socket, &chunk, chunk.count, 0)
            guard got > 0 else { throw Unexpected() }
            buffered += chunk.prefix(got)
        }
        defer { buffered.removeFirst(count) }
        return Array(buffered.prefix(count))
    }

    private func write(_ bytes: [UInt8]) throws {
        guard send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { throw Unexpected() }
    }
}
