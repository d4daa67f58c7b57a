import Glibc

/// Standard output and standard error of a program that says something and goes on, or ends.
package enum Console {
    /// Standard output takes nothing: the disk is full, or who read it is gone.
    package struct Unwritable: Error, Equatable, CustomStringConvertible {
        let code: Int32

        package var description: String { "standard output cannot be written: \(String(cString: strerror(code)))" }
    }

    /// Writes to standard output, and a line feed.
    package static func print(_ text: String) throws(Unwritable) {
        let code = write(text + "\n", to: STDOUT_FILENO)
        guard code == 0 else { throw Unwritable(code: code) }
    }

    /// Writes to standard error, and a line feed. What cannot be said there can be said nowhere.
    package static func complain(_ text: String) {
        _ = write(text + "\n", to: STDERR_FILENO)
    }

    /// Prints what was asked for, and ends the program: with status 1 if that cannot be.
    package static func answer(_ text: String, by name: String) -> Never {
        do throws(Unwritable) {
            try print(text)
        } catch {
            complain("\(name): \(error)")
            exit(1)
        }
        exit(0)
    }

    /// - Returns: the system's reason for stopping early; 0 if all was written.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return 0
    }
}
