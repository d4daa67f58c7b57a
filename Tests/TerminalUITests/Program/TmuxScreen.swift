import Foundation
import TestSupport
import Testing

/// A program on a terminal that tests can read: a pane of a tmux server of its own.
final class TmuxScreen {
    private let socket: String
    private let folder: URL

    /// - Parameters:
    ///   - command: for the shell.
    ///   - environment: in addition to a terminal of 256 colours and UTF-8.
    init(_ command: String, columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tmux-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        socket = folder.appending(path: "socket").path
        let files = ["XDG_CONFIG_HOME", "XDG_STATE_HOME"].map { ($0, folder.path) }
        let settings = ["LC_ALL": "C.UTF-8", "TZ": "UTC"].merging(files) { $1 }.merging(environment) { $1 }
        let variables = settings.map { "\($0)=\($1)" }.sorted()
        try tmux(
            ["-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"] + ["env"] + variables
                + ["sh", "-c", command])
    }

    deinit {
        _ = try? tmux(["kill-server"])
        try? FileManager.default.removeItem(at: folder)
    }

    @discardableResult
    func tmux(_ arguments: [String]) throws -> String {
        try output(of: "/usr/bin/env", ["tmux", "-S", socket] + arguments)
    }

    /// Returns the contents of the screen, without blanks at the ends of its lines.
    func lines() throws -> [String] {
        try tmux(["capture-pane", "-p"]).split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var line = line
            while line.last == " " { line.removeLast() }
            return String(line)
        }
    }

    func type(_ text: String) throws {
        try tmux(["send-keys", "-l", text])
    }

    func press(_ keys: String...) throws {
        try press(keys)
    }

    func press(_ keys: [String]) throws {
        try tmux(["send-keys"] + keys)
    }

    func paste(_ text: String) throws {
        try tmux(["set-buffer", text])
        try tmux(["paste-buffer", "-p"])
    }

    /// Pastes a text that is too long for a command line.
    func pasteFile(of text: String) throws {
        let file = folder.appending(path: "paste")
        try Data(text.utf8).write(to: file)
        try tmux(["load-buffer", file.path])
        try tmux(["paste-buffer", "-p"])
    }

    /// Returns tmux's value of a name for the pane.
    func fact(_ name: String) throws -> String {
        try tmux(["display-message", "-p", "#{\(name)}"]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Waits until the program has rung the bell, which its window remembers as long as nobody looks at it.
    func waitForBell(_ location: SourceLocation = #_sourceLocation) throws {
        try wait(for: "the bell", location) { _ in (try? fact("window_bell_flag")) == "1" }
    }

    /// Reads the screen again and again until it is as expected; after ``Deadline/event`` the test fails.
    ///
    /// A reading may come while the terminal has half of the program's output: claims about a whole screen belong into
    /// `isSo`.
    @discardableResult
    func wait(
        for what: String, _ location: SourceLocation = #_sourceLocation, until isSo: ([String]) -> Bool
    ) throws -> [String] {
        let deadline = ContinuousClock.now + Deadline.event
        var lines: [String] = []
        repeat {
            lines = try self.lines()
            if isSo(lines) { return lines }
        } while ContinuousClock.now < deadline
        Issue.record("never seen: \(what)\n\(lines.joined(separator: "\n"))", sourceLocation: location)
        throw NeverSeen(what: what)
    }

    /// Waits for a line that has the text in it.
    @discardableResult
    func wait(for text: String, _ location: SourceLocation = #_sourceLocation) throws -> [String] {
        try wait(for: text, location) { lines in lines.contains { $0.contains(text) } }
    }

    struct NeverSeen: Error {
        let what: String
    }
}
