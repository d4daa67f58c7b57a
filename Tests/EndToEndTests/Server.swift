import TestSupport

/// `diffroomd` at work.
struct Server {
    let program: RunningProgram
    let port: UInt16

    /// Starts it and waits until it listens.
    init(data: String, port: UInt16 = 0, _ flags: [String] = []) async throws {
        program = try RunningProgram("diffroomd", ["--listen", "127.0.0.1:\(port)", "--data", data] + flags)
        guard let line = await program.line(containing: "listening on"),
            let port = line.split(separator: ":").last.flatMap({ UInt16($0) })
        else { throw NotListening() }
        self.port = port
    }

    var url: String { "ws://127.0.0.1:\(port)" }
}

struct NotListening: Error {}
