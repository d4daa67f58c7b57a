import Foundation

/// A stand-in for an S3-compatible store, with one bucket: Tests/StandIns/store.py. It ends with this object.
package final class StoreStandIn: Sendable {
    package static let region = "here-1"
    package static let bucket = "chat"
    package static let key = (id: "tester", secret: "secret-of-tester")

    /// The address, such as `http://127.0.0.1:4321`.
    package let address: String
    private let program: RunningProgram

    /// - Parameter port: 0 for a free one.
    package init(port: Int = 0) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../StandIns/store.py")
        program = try RunningProgram("/usr/bin/python3", [script.path(percentEncoded: false), "\(port)"])
        guard let line = await program.line(containing: "http://") else { throw Missing() }
        address = line
    }

    package var port: Int? { address.split(separator: ":").last.flatMap { Int($0) } }

    /// The content of a file for `--files-credentials`.
    package static var credentials: String { "\(key.id)\n\(key.secret)\n" }

    private struct Missing: Error {}

    package func end() async {
        program.kill(SIGKILL)
        _ = await program.end()
    }
}
