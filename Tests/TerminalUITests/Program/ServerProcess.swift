import Foundation
import Testing

/// The real server, on a file of its own.
final class ServerProcess {
    private let folder: URL
    private var process: Child?
    private(set) var address = "127.0.0.1:0"

    private let flags: [String]

    /// - Parameter flags: in addition.
    init(_ flags: [String] = []) throws {
        self.flags = flags
        folder = FileManager.default.temporaryDirectory.appending(path: "diffroom-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    var url: String { "ws://\(address)" }

    /// Starts it, at its former address if it had one.
    func start() throws {
        let server = try Child(
            program("diffroomd"), ["--listen", address, "--data", folder.appending(path: "rooms.db").path] + flags)
        process = server
        let text = server.readLine()
        let found = try #require(text.firstMatch(of: /ws:\/\/(\S+)/), "the server said: \(text)")
        address = String(found.1)
    }

    /// Kills it with SIGKILL.
    func kill() {
        process?.kill()
        process = nil
    }

    /// Stops it, as a machine that is out of breath, or lets it continue.
    func signal(_ number: Int32) {
        process?.signal(number)
    }

    /// Goes away from those who are connected. Meanwhile a user says something to it at another address.
    func hear(_ lines: [String], as user: String, room: String = "lobby", whileAway then: () throws -> Void) throws {
        let known = address
        kill()
        try then()
        address = "127.0.0.1:0"
        try start()
        try say(lines, as: user, room: room)
        kill()
        address = known
        try start()
    }

    /// Returns the command that opens the screen in a room.
    func screen(_ user: String, room: String = "lobby") -> String {
        "\(program("diffroom")) \(url) --room \(room) --user \(user)"
    }

    /// Sends lines as a user, and waits until they are acknowledged.
    func say(_ lines: [String], as user: String, room: String = "lobby") throws {
        _ = try output(
            of: program("diffroom"), [url, "--room", room, "--user", user, "--plain"],
            input: lines.map { $0 + "\n" }.joined())
    }

    /// Makes a user a member of rooms. Each is joined by a program of its own: rooms of one millisecond would stand in the
    /// order of their names.
    func join(_ rooms: [String], as user: String) throws {
        for room in rooms { try say(["/join \(room)"], as: user) }
    }
}

/// A program of this package, beside the tests.
func program(_ name: String) -> String {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
}
