package import Foundation
import Glibc
import Locking

/// Held while a pipe or a child is made: a child that starts in between would inherit the pipe's ends, and the pipe's
/// reader would wait for that child's end, too.
private let starting = Guarded(())

/// A child process on streams of the caller's choice.
///
/// It does not use Foundation's `Process`. On Linux that waits until everything that the program has started has ended,
/// which tmux's server never does. Its pipes are Dispatch sources, which stay deaf on a descriptor whose number
/// belonged to a recently closed source.
package final class ChildProcess: Sendable {
    /// How a program ended.
    package enum Ending: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    /// It could not be started, with the system's reason.
    package struct Failed: Error {
        package let program: String
        package let code: Int32
    }

    package let identifier: Int32
    /// The id belongs to no other process until the child is waited for.
    private let ending = Guarded<Ending?>(nil)

    /// Starts it.
    ///
    /// - Parameters:
    ///   - program: a name to be found in `PATH`, or a path.
    ///   - environment: in addition to ours, of which settings of our programs are no part, nor the user's files.
    ///   - input: descriptors that it gets as its own; `nil` is `/dev/null`. They stay the caller's to close.
    package init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], input: Int32? = nil,
        output: Int32? = nil, complaints: Int32? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (own, given) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, complaints)] {
            if let given {
                posix_spawn_file_actions_adddup2(&actions, given, own)
            } else {
                posix_spawn_file_actions_addopen(&actions, own, "/dev/null", O_RDWR, 0)
            }
        }
        var attributes = Self.ordinarySignals()
        defer { posix_spawnattr_destroy(&attributes) }
        let none = ["XDG_CONFIG_HOME": "/dev/null", "XDG_STATE_HOME": "/dev/null"]
        let settings = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("DIFFROOM") }
            .merging(none) { $1 }.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var variables = settings.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        var identifier: pid_t = 0
        let code = starting.withLock { _ in
            posix_spawnp(&identifier, program, &actions, &attributes, &words, &variables)
        }
        guard code == 0 else { throw Failed(program: program, code: code) }
        self.identifier = identifier
    }

    /// Dispatch's threads, on which tests run, block most signals, and a child would inherit that.
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

    /// Sends a signal, unless the child has been waited for.
    package func kill(_ signal: Int32) {
        ending.withLock { if $0 == nil { Glibc.kill(identifier, signal) } }
    }

    /// Blocks the thread until the child has ended.
    @discardableResult
    package func wait() -> Ending {
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return ending.withLock { ending in
            if let ending { return ending }
            var status: Int32 = 0
            waitpid(identifier, &status, 0)
            let signal = status & 0x7F
            let found = signal == 0 ? Ending.exit(status >> 8 & 0xFF) : .signal(signal)
            ending = found
            return found
        }
    }
}

/// A pipe that only programs which are given it inherit.
package struct ChildPipe {
    package let reading: FileHandle
    package let writing: FileHandle

    package init() throws {
        var ends: [Int32] = [0, 0]
        let code = starting.withLock { _ in
            let code = pipe(&ends)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return code
        }
        guard code == 0 else { throw ChildProcess.Failed(program: "pipe", code: errno) }
        reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    }
}
