import TestSupport
import Testing

/// One attack, and its expected result.
struct HostileCase: CustomTestStringConvertible, Sendable {
    let name: String
    /// The result that the peer sees: an HTTP status, a close code, or a bare `end`.
    let outcome: String
    let play: @Sendable (HostileServer) throws -> String

    var testDescription: String { name }

    init(_ name: String, _ outcome: String, play: @escaping @Sendable (HostileServer) throws -> String) {
        (self.name, self.outcome, self.play) = (name, outcome, play)
    }

    /// Bytes instead of a request.
    static func request(_ name: String, _ outcome: String, _ lines: String...) -> HostileCase {
        HostileCase(name, outcome) { server in
            let peer = try server.peer()
            peer.write(lines.joined(separator: "\r\n"))
            return try peer.status()
        }
    }

    /// A good request for a WebSocket with one of its headers replaced, or others added.
    static func handshake(_ name: String, _ outcome: String, without header: String = "", _ more: String...)
        -> HostileCase
    {
        HostileCase(name, outcome) { server in
            let peer = try server.peer()
            let kept = RawPeer.upgrade.filter { header.isEmpty || !$0.hasPrefix(header + ":") }
            peer.write((["GET /ws HTTP/1.1"] + kept + more).joined(separator: "\r\n") + "\r\n\r\n")
            return try peer.status()
        }
    }

    /// Frames on an open WebSocket.
    static func frames(_ name: String, _ outcome: String, _ frames: [UInt8]...) -> HostileCase {
        HostileCase(name, outcome) { server in
            let peer = try server.open()
            peer.write(Array(frames.joined()))
            return try peer.ending()
        }
    }
}

extension RawPeer {
    /// The status of the answer; `end` without one.
    func status() throws -> String {
        let words = try readHeader().split(separator: " ")
        return words.count > 1 ? String(words[1]) : "end"
    }

    /// The code of the server's close frame; `end` without one.
    func ending() throws -> String {
        try closeCode().map { "\($0)" } ?? "end"
    }
}
