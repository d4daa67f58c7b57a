import Foundation
import Glibc

/// A program that runs, its standard output to be read.
///
/// Not Foundation's `Process`: on Linux that waits until everything that the program has started has ended, and tmux
/// starts a server.
final class Child {
    private let process: pid_t
    private let output: FileHandle
    private var isEnded = false

    struct Failed: Error {
        let program: String
        let code: Int32
    }

    init(_ program: String, _ arguments: [String], input: Int32? = nil) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failed(program: program, code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var attributes = Self.ordinarySignals()
        defer { posix_spawnattr_destroy(&attributes) }
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, program, &actions, &attributes, &words, environ)
        close(ends[1])
        output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        self.process = process
        guard code == 0 else { throw Failed(program: program, code: code) }
    }

    /// Dispatch's threads, on which tests run, hold back most signals, and a child would, too: tmux ends by one.
    private static func ordinarySignals() -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        return attributes
    }

    func readLine() -> String {
        var text = ""
        while !text.contains("\n"), case let data = output.availableData, !data.isEmpty {
            text += String(decoding: data, as: UTF8.self)
        }
        return text
    }

    /// All that it writes until it ends.
    func readToEnd() -> String {
        let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
        wait()
        return text
    }

    func kill() {
        Glibc.kill(process, SIGKILL)
        wait()
    }

    private func wait() {
        if !isEnded { waitpid(process, nil, 0) }
        isEnded = true
    }
}

/// Runs a program to its end and returns what it wrote.
func output(of program: String, _ arguments: [String], input: String = "") throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "input-\(UUID().uuidString)")
    try Data(input.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forReadingFrom: file)
    return try Child(program, arguments, input: handle.fileDescriptor).readToEnd()
}
