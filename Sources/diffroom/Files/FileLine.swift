import ChatWire
import TerminalUI

/// A line that sends files: `/upload PATH [TEXT]`.
///
/// ```swift
/// try FileLine("cat.png look at her")        // one path, and a text
/// try FileLine("'my cat.png' 'my dog.png'")  // two paths, which are in quotes
/// ```
struct FileLine: Equatable {
    /// The paths as they were written, at least one.
    private(set) var paths: [String] = []
    /// Empty if the message is to have the names of its files as its text.
    private(set) var text = ""
    /// All that was written behind the command.
    let written: String

    /// The names of the files, without their folders.
    var names: [String] { paths.map { $0.split(separator: "/").last.map(String.init) ?? $0 } }

    static let manual = """
          /upload PATH TEXT send a file, and a text with it or none; a path with spaces is in quotes, and
                            several paths are: /upload 'my cat.png' 'my dog.png' TEXT
          /links [N]        the addresses of the files of message N, or of the last message that has files
        """

    private static let usage = "/upload PATH [TEXT], as in /upload cat.png, or /upload 'my cat.png' look at her"

    /// - Throws: the usage.
    init(_ rest: String) throws(InputError) {
        written = rest
        var rest = rest[...]
        while let quote = rest.skippingSpaces().first, quote == "\"" || quote == "'" {
            rest = rest.skippingSpaces().dropFirst()
            guard let end = rest.firstIndex(of: quote) else {
                throw InputError("the quote before \(rest.inOneLine) is not closed; usage: \(Self.usage)")
            }
            paths.append(String(rest[..<end]))
            rest = rest[end...].dropFirst()
        }
        if paths.isEmpty { paths = [Self.word(at: &rest)] }
        guard !paths.contains("") else { throw InputError("usage: \(Self.usage)") }
        text = rest.trimmed
    }

    /// Takes a word from the beginning. A backslash before a character, as terminals put it before spaces, stands for the
    /// character alone.
    private static func word(at rest: inout Substring) -> String {
        rest = rest.skippingSpaces()
        var word = ""
        while let character = rest.first, character != " " {
            rest = rest.dropFirst()
            word.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        return word
    }
}

extension Substring {
    fileprivate func skippingSpaces() -> Substring { drop { $0 == " " } }

    fileprivate var trimmed: String { String(self).trimmed }
}

extension StringProtocol {
    /// The path with the user's folder in place of a `~` at its beginning.
    func expandingTilde(home: String?) -> String {
        guard let home, self == "~" || hasPrefix("~/") else { return String(self) }
        return home + String(dropFirst())
    }
}
