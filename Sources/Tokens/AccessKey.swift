/// The key to an S3-compatible store, from a file.
///
/// - Shape: two lines, the id and then the secret; or the form of `~/.aws/credentials`, of which the section `[default]`
///   counts, or the first one where there is none of that name.
package struct AccessKey: Equatable, Sendable {
    package let id: String
    package let secret: String

    package init(id: String, secret: String) { (self.id, self.secret) = (id, secret) }

    /// - Errors: the fault of the file, and its remedy.
    package init(path: String) throws(KeyFileError) {
        guard let text = String(validating: try readBytes(of: path), as: UTF8.self) else {
            throw KeyFileError(path: path, problem: "must be text: the id of a key in one line, its secret in the next")
        }
        do throws(AccessKeyFault) {
            self = try Self(text)
        } catch {
            throw KeyFileError(path: path, problem: error.description)
        }
    }

    init(_ text: String) throws(AccessKeyFault) {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingWhitespace }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") && !$0.hasPrefix(";") }
        let values = lines.contains { $0.contains("=") && $0.hasPrefix("aws_") } ? try Self.values(lines) : lines
        guard values.count == 2 else { throw .lines(values.count) }
        guard values.allSatisfy({ $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }) else { throw .notPrintable }
        self.init(id: values[0], secret: values[1])
    }

    /// The id and the secret of the form with sections.
    private static func values(_ lines: [String]) throws(AccessKeyFault) -> [String] {
        let start = lines.firstIndex(of: "[default]") ?? lines.firstIndex { $0.hasPrefix("[") }
        let section = lines[(start.map { $0 + 1 } ?? 0)...].prefix { !$0.hasPrefix("[") }
        func value(_ name: String) -> String? {
            section.lazy.map { $0.split(separator: "=", maxSplits: 1).map(\.trimmingWhitespace) }
                .first { $0.count == 2 && $0[0] == name }?[1]
        }
        guard value("aws_session_token") == nil else { throw .temporary }
        guard let id = value("aws_access_key_id"), let secret = value("aws_secret_access_key") else {
            throw .incomplete
        }
        return [id, secret]
    }
}

/// The reason why a text has no access key.
enum AccessKeyFault: Error, Equatable, CustomStringConvertible {
    case lines(Int)
    case notPrintable
    case incomplete
    case temporary

    var description: String {
        switch self {
        case .lines(let count): "has \(count) lines, must have two: the id of a key, and its secret"
        case .notPrintable: "must have an id and a secret of visible ASCII characters"
        case .incomplete: "must have aws_access_key_id and aws_secret_access_key in its section [default]"
        case .temporary: "has a session token, which ends: make a key that lasts"
        }
    }
}

extension StringProtocol {
    fileprivate var trimmingWhitespace: String {
        let isSpace = { (character: Character) in character.isWhitespace }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
