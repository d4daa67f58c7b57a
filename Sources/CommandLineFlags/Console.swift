import Glibc

/// The standard output and standard error of a program.
package enum Console {
    /// Standard output cannot be written: the disk is full, or its reader is gone.
    package struct Unwritable: Error, Equatable, CustomStringConvertible {
        let code: Int32

        package var description: String { "standard output cannot be written: \(String(cString: strerror(code)))" }
    }

    /// Writes a text and a line feed to standard output.
    package static func print(_ text: String) throws(Unwritable) {
        let code = write(text + "\n", to: STDOUT_FILENO)
        guard code == 0 else { throw Unwritable(code: code) }
    }

    /// Writes a text and a line feed to standard error. A failure is ignored: there is nowhere to report it.
    package static func complain(_ text: String) {
        _ = write(text + "\n", to: STDERR_FILENO)
    }

    /// Prints an answer and ends the program, with status 1 if it cannot be printed.
    package static func answer(_ text: String, by name: String) -> Never {
        do throws(Unwritable) {
            try print(text)
        } catch {
            complain("\(name): \(error)")
            exit(1)
        }
        exit(0)
    }

    /// - Returns: the system's error number if it stopped early; 0 if all was written.
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
