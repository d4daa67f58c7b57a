import Glibc

/// The standard output and standard error of a program.
package enum Console {
    /// Standard output cannot be written: the disk is full, or its reader is gone.
    package struct Unwritable: Error, Equatable, CustomStringConvertible {
        let code: Int32

        package var description: String { "standard output cannot be written: \(String(cString: strerror(code)))" }
    }

    /// The time for which a reader that takes nothing may hold up the program, in milliseconds.
    package static let patience: Int32 = 1_000

    /// Writes a text and a line feed to standard output.
    ///
    /// - Parameter patience: how long the reader may take nothing, in milliseconds; `nil` for ever.
    package static func print(_ text: String, patience: Int32? = nil) throws(Unwritable) {
        let code = write(text + "\n", to: STDOUT_FILENO, patience)
        guard code == 0 else { throw Unwritable(code: code) }
    }

    /// Writes a text and a line feed to standard error, unless its reader takes nothing for a second. A failure is
    /// ignored: there is nowhere to report it.
    package static func writeError(_ text: String) {
        _ = write(text + "\n", to: STDERR_FILENO, patience)
    }

    /// Prints an answer and ends the program, with status 1 if it cannot be printed.
    package static func answer(_ text: String, by name: String) -> Never {
        do throws(Unwritable) {
            try print(text)
        } catch {
            writeError("\(name): \(error)")
            exit(1)
        }
        exit(0)
    }

    /// - Returns: the system's error number if it stopped early; 0 if all was written.
    private static func write(_ text: String, to descriptor: Int32, _ patience: Int32?) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            if let patience, !isWritable(descriptor, within: patience) { return ETIMEDOUT }
            // A pipe or socket that takes anything takes so much without a wait.
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, min($0.count, Int(PIPE_BUF))) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    /// Returns false if the descriptor takes nothing for so many milliseconds; true also if it cannot be written.
    private static func isWritable(_ descriptor: Int32, within patience: Int32) -> Bool {
        var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&place, 1, patience)
            if count >= 0 || errno != EINTR { return count != 0 }
        }
    }
}
