import ChatWire
import Foundation
import TestSupport
import Testing

/// A running `diffroomd`.
struct Server {
    let program: RunningProgram
    let port: UInt16

    let host: String

    /// Starts it on the kind of store that the run is on and waits until it listens.
    ///
    /// - Parameter data: a path of the test's own; on a database it only stands for that.
    /// - Parameter host: a loopback address of its own for a test that starts a server again on the same port, which
    ///   another test's server could have been given meanwhile.
    /// - Parameter limit: an argument for the shell's `ulimit`; by default one without effect.
    /// - Parameter flags: in addition.
    init(
        data: String, host: String = "127.0.0.1", port: UInt16 = 0, limit: String = "-S -c 0", flags: [String] = []
    ) async throws {
        let place =
            switch StoreOfTheRun.current {
            case .sqlite: ["--data", data]
            case .postgres: ["--store", try ThrowawayPostgres.shared.get().address(for: data)]
            }
        try await self.init(place: place + flags, host: host, port: port, limit: limit)
    }

    /// Starts it on a database, which servers share.
    init(store: String, host: String, port: UInt16 = 0, flags: [String] = []) async throws {
        try await self.init(place: ["--store", store] + flags, host: host, port: port, limit: "-S -c 0")
    }

    private init(place: [String], host: String, port: UInt16, limit: String) async throws {
        self.host = host
        program = try RunningProgram(
            "/bin/sh",
            [
                "-c", "ulimit \(limit) && exec \"$0\" \"$@\"", RunningProgram.path(of: "diffroomd"),
                "--listen", "\(host):\(port)",
            ] + place)
        self.port = try await Self.port(of: program)
    }

    /// Starts it with a file of settings, in which it listens on a free port of 127.0.0.1, and waits until it listens.
    init(config: String) async throws {
        host = "127.0.0.1"
        program = try RunningProgram("diffroomd", ["--config", config])
        port = try await Self.port(of: program)
    }

    private static func port(of program: RunningProgram) async throws -> UInt16 {
        guard let line = await program.line(containing: "listening on"),
            let port = line.split(separator: ":").last.flatMap({ UInt16($0) })
        else { throw DidNotStart(complaint: await program.complaint(containing: "diffroomd:") ?? "none") }
        return port
    }

    var url: String { "ws://\(host):\(port)" }

    /// Ends it as a power cut would, and starts it again.
    func killed(data: String) async throws -> Server {
        program.kill(SIGKILL)
        guard await program.end() == .signal(SIGKILL) else { throw NotListening() }
        return try await Server(data: data, host: host, port: port)
    }

    /// Returns when the server has acknowledged a message, and so is at work.
    func answered() async throws {
        let connections = try Connections()
        defer { connections.stop() }
        let connection = try connections.connect(to: port, host: host)
        _ = try await connection.answer(to: .hello(.user(.init("probe")!)))
        let room = try #require(RoomName("probe"))
        for _ in 0..<50 {
            _ = try await connection.answer(to: .send(room: room, id: .random(), "still there?"))
        }
    }
}

struct NotListening: Error {}

/// A server ended before it listened.
struct DidNotStart: Error {
    let complaint: String
}
