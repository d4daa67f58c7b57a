import Foundation

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        let start = drop(while: isTrimmed)
        return start.isEmpty ? start : start[...(start.lastIndex { !isTrimmed($0) } ?? start.startIndex)]
    }
}

/// The examples in docs/protocol.md and docs/protocol.
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

    /// Returns the text of an object of a vector.
    package static func json(_ object: Any) throws -> [UInt8] {
        Array(try JSONSerialization.data(withJSONObject: object))
    }

    /// Returns the frames in docs/protocol.md that go in the direction of an arrow.
    package static func frames(after arrow: String) throws -> [[UInt8]] {
        let page = try String(contentsOf: docs.appending(path: "protocol.md"), encoding: .utf8)
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("    \(arrow) {") }
        guard lines.count > 9 else { throw NoExamples(file: "protocol.md") }
        return lines.map { Array($0.drop { $0 != "{" }.utf8) }
    }

    /// Returns the statuses of HTTP that docs/protocol.md lists in parentheses after these words.
    package static func statuses(after words: String) throws -> Set<Int> {
        let page = try String(contentsOf: docs.appending(path: "protocol.md"), encoding: .utf8)
        guard let start = page.firstRange(of: words)?.upperBound else { throw NoExamples(file: "protocol.md") }
        return Set(page[start...].prefix { $0 != ")" }.matches(of: /\d{3}/).compactMap { Int($0.output) })
    }

    /// The table of the reasons of errors in docs/protocol.md.
    package static var errorReasons: [(code: String, reason: String)] {
        get throws {
            let page = try String(contentsOf: docs.appending(path: "protocol.md"), encoding: .utf8)
            guard let start = page.firstRange(of: "| `error` | `reason` |")?.lowerBound else {
                throw NoExamples(file: "protocol.md")
            }
            let table = page[start...].split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2)
            return table.prefix { $0.hasPrefix("|") }.compactMap { line in
                let cells = line.split(separator: "|").map { $0.trimming { $0 == " " || $0 == "`" } }
                return cells.count < 2 ? nil : (code: String(cells[0]), reason: String(cells[1]))
            }
        }
    }

    /// Returns whether docs/protocol.md has a sentence, wherever its lines are broken.
    package static func has(_ sentence: String) throws -> Bool {
        let page = try String(contentsOf: docs.appending(path: "protocol.md"), encoding: .utf8)
        return page.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(sentence)
    }
}
