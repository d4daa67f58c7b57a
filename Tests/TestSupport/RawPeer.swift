import COpenSSL
import Glibc

/// A peer made of a bare socket, which can send what no library would. It blocks, with a time limit on every read.
package final class RawPeer {
    package let socket: Int32
    private var buffered: [UInt8] = []
    /// Of a message whose last one has not come.
    private var fragments: Message?
    private var pacing: (() -> Void)?
    private var tls: OpaquePointer?

    package struct Failure: Error, CustomStringConvertible {
        package var description: String

        package init(description: String) {
            self.description = description
        }
    }

    package struct Message: Equatable {
        package var first: UInt8
        package var payload: [UInt8]

        package init(first: UInt8, payload: [UInt8]) {
            self.first = first
            self.payload = payload
        }

        package var opcode: UInt8 { first & 0x0F }
        package var text: String { String(decoding: payload, as: UTF8.self) }

        package static func text(_ text: String) -> Message { Message(first: 0x81, payload: Array(text.utf8)) }
        package static func close(_ code: UInt16, _ reason: String = "") -> Message {
            Message(first: 0x88, payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
        }
        package var closeCode: UInt16? {
            opcode == 8 && payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
        }
    }

    /// - Parameters:
    ///   - receiveBuffer: the socket's, in bytes; with a small one the peer soon takes no more.
    ///   - address: to connect from.
    package init(
        port: UInt16, from address: String? = nil, receiveBuffer: Int32? = nil, seconds: Int = Deadline.eventSeconds
    ) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let descriptor = socket
        if let address {
            guard Self.with(address, 0, { bind(descriptor, $0, $1) }) == 0 else {
                throw Failure(description: "cannot bind \(address): errno \(errno)")
            }
        }
        guard Self.with("127.0.0.1", port, { connect(descriptor, $0, $1) }) == 0 else {
            throw Failure(description: "cannot connect: errno \(errno)")
        }
    }

    deinit {
        RecordForge.forgetKeys(of: tls)
        SSL_free(tls)
        close(socket)
    }

    private static func with(
        _ text: String, _ port: UInt16, _ use: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, text, &address.sin_addr)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    // MARK: - TLS

    /// Speaks TLS from now on, and accepts any certificate.
    ///
    /// - Parameters:
    ///   - versions: the least and the greatest to offer.
    ///   - protocols: the ALPN protocols to offer.
    package func startTLS(
        versions: ClosedRange<Int32> = TLS1_2_VERSION...TLS1_3_VERSION, protocols: [String] = []
    ) throws {
        let context = SSL_CTX_new(TLS_client_method())
        defer { SSL_CTX_free(context) }
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(versions.lowerBound), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(versions.upperBound), nil)
        SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
        let offered = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !offered.isEmpty { SSL_CTX_set_alpn_protos(context, offered, UInt32(offered.count)) }
        if versions == TLS1_3_VERSION...TLS1_3_VERSION { RecordForge.keepKeys(of: context) }
        let tls = SSL_new(context)
        SSL_set_fd(tls, socket)
        guard SSL_connect(tls) == 1 else {
            SSL_free(tls)
            throw Failure(description: "no TLS")
        }
        self.tls = tls
    }

    /// Bytes to send past OpenSSL after a number of writes; `nil` except with TLS 1.3 alone.
    package func forge(after writes: UInt64) -> RecordForge? {
        RecordForge(of: tls, after: writes)
    }

    package var tlsVersion: String { String(cString: SSL_get_version(tls)) }

    /// The negotiated protocol; empty for none.
    package var applicationProtocol: String {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(tls, &name, &count)
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// The common name in the server's certificate.
    package var certificateName: String {
        guard let certificate = SSL_get1_peer_certificate(tls) else { return "" }
        defer { X509_free(certificate) }
        var name = [CChar](repeating: 0, count: 256)
        X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, &name, 256)
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Asks for another handshake of TLS 1.2. Returns `false` if the server refuses.
    package func renegotiate() -> Bool {
        SSL_renegotiate(tls) == 1 && SSL_do_handshake(tls) == 1
    }

    package enum KeyUpdate: CaseIterable, Sendable {
        case own
        /// Ask the server for new keys too: it answers.
        case both
    }

    /// Changes its keys and announces that. Returns `false` if the server has cut the connection.
    @discardableResult
    package func updateKeys(_ which: KeyUpdate = .both) -> Bool {
        let kind = which == .both ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED
        return SSL_key_update(tls, kind) == 1 && SSL_do_handshake(tls) == 1
    }

    // MARK: - Bytes

    /// Writes everything. Returns `false` if the server has cut the connection.
    ///
    /// - Parameter bytes: sent as they are, or in records if TLS is on.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                tls == nil
                    ? Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    : Int(SSL_write(tls, $0.baseAddress, Int32($0.count)))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    package func write(_ text: String) -> Bool {
        write(Array(text.utf8))
    }

    /// Writes past TLS.
    @discardableResult
    package func writePlain(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } == bytes.count
    }

    /// Announces that nothing more will be written.
    package func finish() {
        shutdown(socket, Int32(SHUT_WR))
    }

    /// Resets the connection, whatever is under way.
    package func reset() {
        var nowhere = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        connect(socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Returns `false` if no byte has come in this time.
    package func hasMore(within milliseconds: Int32) -> Bool {
        var input = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return !buffered.isEmpty || poll(&input, 1, milliseconds) > 0
    }

    /// Reads more bytes into the buffer. Returns `false` at the end of the stream, or after a reset.
    private func fill() throws -> Bool {
        pacing?()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count =
            tls == nil ? recv(socket, &chunk, chunk.count, 0) : Int(SSL_read(tls, &chunk, Int32(chunk.count)))
        guard count >= 0 || tls != nil || errno == ECONNRESET else {
            throw Failure(description: "no data: errno \(errno)")
        }
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

    /// Returns the next `count` bytes.
    package func read(_ count: Int) throws -> [UInt8] {
        guard let bytes = try take(count) else { throw Failure(description: "the connection ended") }
        return bytes
    }

    /// Returns everything until the server closes.
    package func readAll() throws -> String {
        while try fill() {}
        defer { buffered = [] }
        return String(decoding: buffered, as: UTF8.self)
    }

    /// Returns the header of an HTTP answer, up to the empty line, or the part that came before the end.
    package func readHeader() throws -> String {
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

    package static let upgrade = [
        "Host: localhost", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]

    /// Opens a WebSocket and returns the answer's header.
    @discardableResult
    package func open(_ path: String = "/ws", headers: [String] = upgrade, line: String? = nil) throws -> String {
        write(([line ?? "GET \(path) HTTP/1.1"] + headers).joined(separator: "\r\n") + "\r\n\r\n")
        return try readHeader()
    }

    /// A masked frame; `announced` lies about its length.
    package static func frame(_ first: UInt8, _ payload: [UInt8], announced: UInt64? = nil) -> [UInt8] {
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
    package func send(_ first: UInt8 = 0x81, _ payload: [UInt8]) -> Bool {
        write(Self.frame(first, payload))
    }

    @discardableResult
    package func send(_ text: String) -> Bool {
        send(0x81, Array(text.utf8))
    }

    /// Returns the next message, or the control frame before its last fragment; `nil` when the connection has ended.
    /// `pacing` is called before each read of the socket.
    package func next(pacing: (() -> Void)? = nil) throws -> Message? {
        self.pacing = pacing
        defer { self.pacing = nil }
        while let frame = try frame() {
            if frame.opcode >= 8 { return frame }
            guard (frame.opcode == 0) == (fragments != nil) else {
                throw Failure(description: "a frame of opcode \(frame.opcode) that belongs to no message, or to two")
            }
            if fragments == nil { fragments = Message(first: frame.first | 0x80, payload: []) }
            fragments?.payload += frame.payload
            guard frame.first & 0x80 != 0 else { continue }
            defer { fragments = nil }
            return fragments
        }
        return nil
    }

    private func frame() throws -> Message? {
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

    /// Returns the server's close frame, after answering everything before it; `nil` for a bare end.
    package func closeFrame() throws -> Message? {
        while let message = try next() {
            if message.opcode == 8 {
                send(0x88, Array(message.payload.prefix(2)))
                return message
            }
        }
        return nil
    }

    /// Returns the code in the close frame.
    package func closeCode() throws -> UInt16? {
        try closeFrame()?.closeCode
    }
}
