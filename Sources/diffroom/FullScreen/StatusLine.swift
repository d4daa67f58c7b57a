import ChatClient
import ChatWire
import TerminalUI

/// The status line between the messages and the editor.
struct StatusLine: Equatable {
    /// The room's label. Empty until it is known.
    var room: String
    /// The room's topic. It is shown where space is left.
    var topic = ""
    var connection = ConnectionState.offline
    var revision: Revision?
    /// The time from the last command to its acknowledgement.
    var latency: Duration?
    /// The number of commands without an acknowledgement.
    var unanswered = 0
    /// The time for which the oldest of them waits; `nil` if there is none.
    var silence: Duration?
    /// Seconds until the next attempt to connect.
    var secondsToRetry: Int?
    /// The reason why there is no connection; kept until there is one.
    var loss: ConnectionLoss?
    /// The messages that have arrived and were not seen yet.
    var unread = Unread()
    /// The unread messages of the user's other rooms, where no column shows them.
    var unreadElsewhere = Unread()
    /// The number of reminders and unsent messages that are due, where no column shows it.
    var due = 0
    /// The upload under way, such as `↑ cat.png 45 %`.
    var upload: String?
    /// A notice that replaces the rest of the line.
    var notice: String?
    /// The place of the shown search result, and the number of results.
    var found: (place: Int, count: Int)?
    /// The messages that a search has read, and those of the room; `nil` when it has read all that there are.
    var searching: SearchProgress?

    struct SearchProgress: Equatable {
        let read: Int
        let count: Int
        /// True while more messages are being loaded.
        let isLoading: Bool
    }

    /// A number of messages, some of which may not be known.
    struct Unread: Equatable {
        var count = 0
        /// True when there are more, of an unknown number.
        var isLeast = false

        var text: String? {
            count > 0 || isLeast ? count.grouped + (isLeast ? "+" : "") : nil
        }
    }

    /// The most columns of a room's title, so that the rest has space.
    private static let longestHeading = 40

    /// The fewest columns for which a topic is shown.
    private static let shortestTopic = 12

    /// The time after which the line shows that the server does not answer.
    private static let patience = Duration.seconds(3)

    var isOnline: Bool {
        if case .online = connection { true } else { false }
    }

    func line(width: Int) -> Line {
        var left = state
        let heading = room.inOneLine.truncated(to: Self.longestHeading)
        if !room.isEmpty { left.append("  " + heading, Style(.text, on: .bar, [.bold])) }
        if let upload { left.append("  " + upload.inOneLine, Style(.accent, on: .bar)) }
        if let notice {
            left.append("  " + notice.inOneLine, Style(.warning, on: .bar))
        } else {
            for fact in facts { left.append("  " + fact, Style(.faint, on: .bar)) }
            if let loss { left.append("  " + "\(loss)".inOneLine, Style(.warning, on: .bar)) }
        }
        var right = end
        right.append(" ", Style(.text, on: .bar))
        let space = width - left.width - right.width - 4
        if notice == nil, !topic.isEmpty, space >= Self.shortestTopic {
            left.append("  " + topic.inOneLine.truncated(to: space), Style(.faint, on: .bar))
        }
        return left.truncated(to: width - right.width - 1)
            .withEnd(right, width: width, filling: Style(.text, on: .bar))
    }

    private var facts: [String] {
        var facts: [String] = []
        if loss == nil {
            // Without a connection, the reason takes this space.
            if let revision { facts.append("rev \(revision)") }
            if let latency { facts.append(latency.brief) }
        }
        if unanswered > 0 { facts.append("sending \(unanswered)…") }
        return facts
    }

    private var end: Line {
        if let text = searchText { return Line(text, Style(.accent, on: .bar, [.bold])) }
        let elsewhere = unreadElsewhere.text.map { ["\($0) unread elsewhere"] } ?? []
        let later = due > 0 ? ["\(due.grouped) due: /later"] : []
        let below = unread.text.map { ["↓ \($0) new"] } ?? []
        return Line((later + elsewhere + below).joined(separator: "  "), Style(.warning, on: .bar, [.bold]))
    }

    private var searchText: String? {
        if let searching, searching.isLoading {
            return "searching… \(searching.read.grouped) of \(searching.count.grouped) read"
        }
        guard let found else { return nil }
        if found.count > 0 { return "\(found.place) of \(found.count)" }
        return searching.map { "not in the last \($0.read.grouped); ↑ searches on" } ?? "nothing found"
    }

    private var state: Line {
        switch connection {
        case .online:
            if let silence, silence >= Self.patience {
                sign("●", "online, no answer for \(silence.components.seconds) s", .warning)
            } else {
                sign("●", "online", .good)
            }
        case .connecting: sign("◌", "connecting", .warning)
        case .offline: sign("○", "offline", .faint)
        case .waiting: sign("○", secondsToRetry.map { "offline, again in \($0) s" } ?? "offline", .bad)
        case .ended(let loss): sign("✕", "\(loss)", .bad)
        }
    }

    private func sign(_ sign: String, _ text: String, _ hue: Style.Hue) -> Line {
        var line = Line(" \(sign) ", Style(hue, on: .bar, [.bold]))
        line.append(text.inOneLine, Style(hue, on: .bar))
        return line
    }

    static func == (left: StatusLine, right: StatusLine) -> Bool {
        left.line(width: 200) == right.line(width: 200)
    }
}

extension StatusLine.Unread {
    /// The messages to notify of in all rooms but those shown: at least these, if some rooms have no row.
    init(in rooms: RoomsView, besides shown: Set<RoomName>) {
        let news = rooms.all.filter { !shown.contains($0.id) }.reduce(0) { $0 &+ $1.news }
        self.init(count: Int(clamping: news), isLeast: news > 0 && rooms.more)
    }
}

extension Duration {
    /// The duration in milliseconds, with a useful precision.
    var brief: String {
        let (seconds, attoseconds) = components
        let milliseconds = Double(seconds) * 1_000 + Double(attoseconds) / 1e15
        return milliseconds < 10 ? "\((milliseconds * 10).rounded() / 10) ms" : "\(Int(milliseconds.rounded())) ms"
    }
}
