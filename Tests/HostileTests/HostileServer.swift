import Foundation
import TestSupport
import WebSocketTransport

/// A running `diffroomd` for a whole run of tests; it ends with them.
final class HostileServer: Sendable {
    enum Speech: CaseIterable {
        case plain
        case tls
    }

    let port: UInt16
    let speech: Speech
    private let program: RunningProgram
    private let folder: TemporaryFolder
    /// Its resources before the first connection, and after that was gone.
    private let descriptors: Int
    private let memory: Int

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter flags: in addition.
    init(_ speech: Speech, flags: [String] = []) async throws {
        folder = TemporaryFolder()
        var arguments = ["--listen", "127.0.0.1:0", "--data", folder.file("rooms.db"), "--files", folder.file("files")]
        if speech == .tls {
            let certificate = try TestAuthority(in: folder).certificate("server")
            arguments += ["--tls-cert", certificate.chain, "--tls-key", certificate.key]
        }
        program = try RunningProgram("diffroomd", arguments + flags)
        let line = await program.line(containing: "listening on")
        guard let port = line?.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw Failure(description: "diffroomd does not listen")
        }
        (self.port, self.speech) = (port, speech)
        let process = program.identifier
        let sockets = Self.sockets(process)
        for _ in 0..<20 { try Self.join(port, speech) }
        guard Pause.polling(until: { Self.sockets(process) <= sockets }) else {
            throw Failure(description: "the first ones' sockets stay open")
        }
        descriptors = Self.descriptors(process)
        memory = Self.memory(process)
    }

    /// A connection, with TLS where that is spoken.
    func peer(receiveBuffer: Int32? = nil) throws -> RawPeer {
        let peer = try RawPeer(port: port, receiveBuffer: receiveBuffer)
        if speech == .tls { try peer.startTLS() }
        return peer
    }

    /// A connection without any traffic, not even TLS.
    func stranger() throws -> RawPeer {
        try RawPeer(port: port)
    }

    /// An open WebSocket.
    func open(receiveBuffer: Int32? = nil) throws -> RawPeer {
        let peer = try peer(receiveBuffer: receiveBuffer)
        guard try peer.open().hasPrefix("HTTP/1.1 101 ") else { throw Failure(description: "no WebSocket") }
        return peer
    }

    /// A WebSocket that has said hello.
    func member(_ user: String = "well-behaved", receiveBuffer: Int32? = nil) throws -> RawPeer {
        let peer = try open(receiveBuffer: receiveBuffer)
        try Self.greet(peer, as: user)
        return peer
    }

    // MARK: - Health

    /// A client connects, says hello, reads a room and leaves.
    ///
    /// - Returns: the time that this took.
    func join() throws -> Duration {
        try ContinuousClock().measure { try Self.join(port, speech) }
    }

    /// Waits until the server holds no more descriptors than at first.
    func isRid(within seconds: Double) -> Bool {
        Pause.polling(within: seconds) { Self.descriptors(program.identifier) <= descriptors }
    }

    /// The bytes of memory beyond those at first.
    var growth: Int { Self.memory(program.identifier) - memory }

    /// The bytes of memory beyond those at first, when they were most.
    var peakGrowth: Int {
        let status = (try? String(contentsOfFile: "/proc/\(program.identifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0) * 1_024 - memory
    }

    private static func join(_ port: UInt16, _ speech: Speech) throws {
        let peer = try RawPeer(port: port)
        if speech == .tls { try peer.startTLS() }
        _ = try peer.open()
        try greet(peer)
        peer.send(#"{"type": "subscribe", "ref": 2, "list": "room/lobby/messages"}"#)
        guard try peer.next()?.text.contains("\"snapshot\"") == true else { throw Failure(description: "no snapshot") }
        peer.send(0x88, [0x03, 0xE8])
        while try peer.next() != nil {}
    }

    private static func greet(_ peer: RawPeer, as user: String = "well-behaved") throws {
        peer.send(#"{"type": "hello", "ref": 1, "user": "\#(user)"}"#)
        guard try peer.next()?.text.contains("\"welcome\"") == true else { throw Failure(description: "no welcome") }
    }

    /// The data file's descriptors do not count: readers of it are opened under load, and kept.
    private static func descriptors(_ process: Int32) -> Int {
        links(process).filter { !$0.contains("/rooms.db") }.count
    }

    /// Its descriptors that are connections or listening sockets.
    private static func sockets(_ process: Int32) -> Int {
        links(process).filter { $0.hasPrefix("socket:") }.count
    }

    private static func links(_ process: Int32) -> [String] {
        let folder = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
    }

    private static func memory(_ process: Int32) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)) ?? ""
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 } ?? 0
    }
}
