package import Dispatch
internal import Foundation
import JSON
import Synchronization

/// The server's log on standard error: text on a terminal, elsewhere one JSON object a line.
///
/// The server never waits for the log's reader.
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
    private let writer: LogWriter

    package init(format: Format, level: Level) {
        self.format = format
        lowest = Atomic(level.rank)
        writer = LogWriter { count in
            Self.line(format, .warning, "lines were dropped: standard error accepted no more", ["count": "\(count)"])
        }
    }

    /// The lowest level that is written. It can be read and set from any thread.
    package var level: Level {
        get { Level.allCases[lowest.load(ordering: .relaxed)] }
        set { lowest.store(newValue.rank, ordering: .relaxed) }
    }

    /// - Parameters:
    ///   - event: the event, in words.
    ///   - fields: the details of the event.
    package func callAsFunction(_ level: Level, _ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        guard level.rank >= lowest.load(ordering: .relaxed) else { return }
        writer.write(Self.line(format, level, event, fields))
    }

    /// Returns when all lines are written, or when the time is over. Call it before the program ends.
    package func finish(within time: DispatchTimeInterval) {
        writer.finish(within: time)
    }

    private static func line(
        _ format: Format, _ level: Level, _ event: String, _ fields: KeyValuePairs<String, String>
    ) -> String {
        let time = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        return switch format {
        case .text: text(time, level, event, fields)
        case .json: json(time, level, event, fields)
        }
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
        var json = JSONWriter()
        json.object { json in
            json.string("time", time)
            json.string("level", level.rawValue)
            json.string("event", event)
            for (name, value) in fields { json.string(name, value) }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Replaces control characters: a peer's text must not begin a log line of its own, or steer a terminal.
    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : Character($0) })
    }
}
