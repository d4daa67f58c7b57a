import Foundation

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        let start = drop(while: isTrimmed)
        return start.isEmpty ? start : start[...(start.lastIndex { !isTrimmed($0) } ?? start.startIndex)]
    }
}

/// The examples in docs/protocol.md, docs/protocol-reference.md and docs/protocol.
package enum ProtocolDocuments {
    /// A file without examples: it tests nothing.
    package struct NoExamples: Error {
        package let file: String
    }

    private static var docs: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs")
    }

    /// Returns the cases of a file of docs/protocol/vectors.
    package static func vectors(_ name: String) throws -> [[String: Any]] {
        let data = try Data(contentsOf: docs.appending(path: "protocol/vectors/\(name).json"))
        guard let cases = try JSONSerialization.jsonObject(with: data) as? [[String: Any]], !cases.isEmpty else {
            throw NoExamples(file: name)
        }
        return cases
    }

    /// Returns the text of an object of a vector. An application's data is compared byte by byte, so equal objects have one text.
    package static func json(_ object: Any) throws -> [UInt8] {
        Array(try JSONSerialization.data(withJSONObject: object, options: .sortedKeys))
    }

    private static let guide = "protocol.md"
    private static let reference = "protocol-reference.md"

    private static func text(of page: String) throws -> String {
        try String(contentsOf: docs.appending(path: page), encoding: .utf8)
    }

    /// Returns the frames in the guide, and then in the reference, that go in the direction of an arrow.
    package static func frames(after arrow: String) throws -> [[UInt8]] {
        try [guide, reference].flatMap { page in
            let lines = try text(of: page).split(separator: "\n").filter { $0.hasPrefix("    \(arrow) {") }
            guard lines.count > 4 else { throw NoExamples(file: page) }
            return lines.map { Array($0.drop { $0 != "{" }.utf8) }
        }
    }

    /// Returns the statuses of HTTP that the reference lists in parentheses after these words.
    package static func statuses(after words: String) throws -> Set<Int> {
        let page = try text(of: reference)
        guard let start = page.firstRange(of: words)?.upperBound else { throw NoExamples(file: reference) }
        return Set(page[start...].prefix { $0 != ")" }.matches(of: /\d{3}/).compactMap { Int($0.output) })
    }

    /// Returns the rows of the table that begins with a header, without the header.
    private static func table(_ header: String, in page: String) throws -> [Substring] {
        let text = try text(of: page)
        guard let start = text.firstRange(of: header)?.lowerBound else { throw NoExamples(file: page) }
        let lines = text[start...].split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2)
        return Array(lines.prefix { $0.hasPrefix("|") })
    }

    /// The table of the reasons of errors in the reference.
    package static var errorReasons: [(code: String, reason: String)] {
        get throws {
            try table("| `error` | `reason` |", in: reference).compactMap { line in
                let cells = line.split(separator: "|").map { $0.trimming { $0 == " " || $0 == "`" } }
                return cells.count < 2 ? nil : (code: String(cells[0]), reason: String(cells[1]))
            }
        }
    }

    /// A row of the table of the kinds of lists in the reference.
    package struct ListKind {
        /// With `NAME` for a room's name.
        package let list: String
        package let resume: String
        package let hasTags: Bool
        package let hasCounts: Bool
        package let pages: String
    }

    package static var listKinds: [ListKind] {
        get throws {
            try table("| List | A `resume` names |", in: reference).map { line in
                let cells = line.split(separator: "|").map { String($0.trimming { $0 == " " || $0 == "`" }) }
                guard cells.count == 5 else { throw NoExamples(file: reference) }
                return ListKind(
                    list: cells[0], resume: cells[1], hasTags: cells[2] == "yes", hasCounts: cells[3] == "yes",
                    pages: cells[4])
            }
        }
    }

    /// The reasons in the guide's table of remedies, in its order.
    package static var remediedReasons: [String] {
        get throws {
            try table("| Remedy | `reason` |", in: guide).flatMap { line in
                line.split(separator: "|").dropFirst().joined().matches(of: /`(\w+)`/).map { String($0.output.1) }
            }
        }
    }

    /// Returns whether the reference has a sentence, wherever its lines are broken.
    package static func has(_ sentence: String) throws -> Bool {
        try text(of: reference).split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(sentence)
    }
}
