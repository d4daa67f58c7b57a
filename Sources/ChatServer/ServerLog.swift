internal import Foundation
import Locking
import Synchronization

/// What the server says to its operator, on standard error: text on a terminal, one JSON object a line elsewhere.
package final class ServerLog: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        case text
        case json
    }

    package enum Level: String, Sendable, CaseIterable {
        case debug, info, warning, error

        fileprivate var rank: Int { Level.allCases.firstIndex(of: self) ?? 0 }
    }

    private let format: Format
    private let lowest: Atomic<Int>
    private let output: Guarded<FileHandle>

    package init(format: Format, level: Level) {
        self.format = format
        lowest = Atomic(level.rank)
        output = Guarded(.standardError)
    }

    /// The level from which on lines are written. Any thread, at any time.
    package var level: Level {
        get { Level.allCases[lowest.load(ordering: .relaxed)] }
        set { lowest.store(newValue.rank, ordering: .relaxed) }
    }

    /// - Parameters:
    ///   - event: what happened, in words.
    ///   - fields: what it happened to.
    package func callAsFunction(_ level: Level, _ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        guard level.rank >= lowest.load(ordering: .relaxed) else { return }
        let time = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let line =
            switch format {
            case .text: Self.text(time, level, event, fields)
            case .json: Self.json(time, level, event, fields)
            }
        output.withLock { try? $0.write(contentsOf: Data((line + "\n").utf8)) }
    }

    private static func text(
        _ time: String, _ level: Level, _ event: String, _ fields: KeyValuePairs<String, String>
    ) -> String {
        let particulars = fields.map { " \($0)=\(printable($1))" }.joined()
        return "\(time) \(level.rawValue.uppercased()) \(printable(event))\(particulars)"
    }

    private static func json(
        _ time: String, _ level: Level, _ event: String, _ fields: KeyValuePairs<String, String>
    ) -> String {
        let all = [("time", time), ("level", level.rawValue), ("event", event)] + fields.map { ($0, $1) }
        return "{" + all.map { "\(quoted($0)):\(quoted($1))" }.joined(separator: ",") + "}"
    }

    /// What peers say can stand in a log line; it must not be able to write one, or to steer a terminal.
    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : Character($0) })
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20:
                quoted += "\\u00" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
