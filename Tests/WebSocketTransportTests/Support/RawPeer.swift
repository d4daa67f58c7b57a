import Glibc
import WebSocketTransport

/// A peer made of a bare socket, that can say what no library would. Blocking, with a time limit on every read.
final class RawPeer {
    let socket: Int32
    private var buffered: [UInt8] = []
    private var pacing: (() -> Void)?

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    struct Message: Equatable {
        var first: UInt8
        var payload: [UInt8]
        var opcode: UInt8 { first & 0x0F }
        var text: String { String(decoding: payload, as: UTF8.self) }

        static func text(_ text: String) -> Message { Message(first: 0x81, payload: Array(text.utf8)) }
        static func close(_ code: UInt16, _ reason: String = "") -> Message {
            Message(first: 0x88, payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
        }
        var closeCode: UInt16? {
            opcode == 8 && payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
        }
    }

    /// - Parameter receiveBuffer: the socket's, in bytes; small ones make a peer that soon takes no more.
    init(port: UInt16, receiveBuffer: Int32? = nil, seconds: Int = 20) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(description: "cannot connect: errno \(errno)") }
    }

    deinit {
        close(socket)
    }

    // MARK: - Bytes

    /// Writes everything. False: the server has cut the connection.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func write(_ text: String) -> Bool {
        write(Array(text.utf8))
    }

    /// Says that nothing more will be written.
    func finish() {
        shutdown(socket, Int32(SHUT_WR))
    }

    /// Ends the connection with a reset, whatever is on its way.
    func reset() {
        var nowhere = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        connect(socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// More bytes into the buffer. False: end of stream, or reset.
    private func fill() throws -> Bool {
        pacing?()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &chunk, chunk.count, 0)
        guard count >= 0 || errno == ECONNRESET else { throw Failure(description: "no data: errno \(errno)") }
        buffered += chunk.prefix(max(count, 0))
        return count > 0
    }

    private func take(_ count: Int) throws -> [UInt8]? {
        while buffered.count < count {
            guard try fill() else { return nil }
        }
        let taken = Array(buffered.prefix(count))
        buffered.removeFirst(count)
        return taken
    }

    /// Everything until the server closes.
    func readAll() throws -> String {
        while try fill() {}
        defer { buffered = [] }
        return String(decoding: buffered, as: UTF8.self)
    }

    /// The header of an HTTP answer, up to the empty line; what there is when the connection ends before.
    func readHeader() throws -> String {
        let end = Array("\r\n\r\n".utf8)
        var searched = 0
        while true {
            if buffered.count >= 4 {
                for index in searched...(buffered.count - 4) where Array(buffered[index..<(index + 4)]) == end {
                    return String(decoding: try take(index + 4) ?? [], as: UTF8.self)
                }
                searched = buffered.count - 3
            }
            guard try fill() else { return String(decoding: try take(buffered.count) ?? [], as: UTF8.self) }
        }
    }

    // MARK: - WebSocket

    static let upgrade = [
        "Host: a", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]

    /// Opens a WebSocket and returns the answer's header.
    @discardableResult
    func open(_ path: String = "/ws", headers: [String] = upgrade, line: String? = nil) throws -> String {
        write(([line ?? "GET \(path) HTTP/1.1"] + headers).joined(separator: "\r\n") + "\r\n\r\n")
        return try readHeader()
    }

    /// A masked frame; `announced` lies about its length.
    static func frame(_ first: UInt8, _ payload: [UInt8], announced: UInt64? = nil) -> [UInt8] {
        let length = announced ?? UInt64(payload.count)
        var bytes = [first]
        if length < 126 {
            bytes.append(0x80 | UInt8(length))
        } else if length < 65_536 {
            bytes += [0x80 | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
        } else {
            bytes.append(0x80 | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * UInt64($0))) }
        }
        let mask: [UInt8] = [0x11, 0x22, 0x33, 0x44]
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    @discardableResult
    func send(_ first: UInt8 = 0x81, _ payload: [UInt8]) -> Bool {
        write(Self.frame(first, payload))
    }

    @discardableResult
    func send(_ text: String) -> Bool {
        send(0x81, Array(text.utf8))
    }

    /// The next frame; `nil` when the connection has ended. `pacing` is called before each read of the socket.
    func next(pacing: (() -> Void)? = nil) throws -> Message? {
        self.pacing = pacing
        defer { self.pacing = nil }
        guard let head = try take(2) else { return nil }
        var length = Int(head[1])
        guard length < 128 else { throw Failure(description: "a masked frame from the server") }
        if length >= 126 {
            guard let wide = try take(length == 126 ? 2 : 8) else { return nil }
            length = wide.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let payload = try take(length) else { return nil }
        return Message(first: head[0], payload: payload)
    }

    /// The close frame of the server, whatever comes before it, which is answered; `nil` for a bare end.
    func closeFrame() throws -> Message? {
        while let message = try next() {
            if message.opcode == 8 {
                send(0x88, Array(message.payload.prefix(2)))
                return message
            }
        }
        return nil
    }

    /// The code in it.
    func closeCode() throws -> UInt16? {
        try closeFrame()?.closeCode
    }
}

extension TestServer {
    /// A raw peer with an open WebSocket, and the server's name for it.
    func rawPeer(path: String = "/ws", receiveBuffer: Int32? = nil) throws -> (RawPeer, ConnectionID) {
        let peer = try RawPeer(port: server.port, receiveBuffer: receiveBuffer)
        let answer = try peer.open(path)
        guard answer.hasPrefix("HTTP/1.1 101 ") else { throw RawPeer.Failure(description: "refused: \(answer)") }
        return (peer, try opened())
    }

    /// Returns when no connection is left.
    func isEmpty() {
        while server.statistics.openNow > 0 { sched_yield() }
    }

    /// The server is alive: a new peer can open a WebSocket and is heard.
    func answers() throws -> Bool {
        let (peer, connection) = try rawPeer()
        peer.send("still there?")
        return try received(on: connection) == Array("still there?".utf8)
    }
}
