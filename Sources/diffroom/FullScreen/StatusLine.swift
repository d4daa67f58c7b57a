import ChatClient
import ChatWire
import TerminalUI

/// The line between what is said and what is being written: how things stand.
struct StatusLine: Equatable {
    var room: String
    var connection = ConnectionState.offline
    var revision: Revision?
    /// Of the last command, from being given to being acknowledged.
    var latency: Duration?
    /// Commands that are not acknowledged yet.
    var unanswered = 0
    /// Seconds until the next attempt to connect.
    var secondsToRetry: Int?
    /// Why there is no connection; until there is one.
    var loss: ConnectionLoss?
    /// Messages that have come and were not seen yet.
    var unread = 0
    /// What is to be said now; it takes the place of the rest.
    var notice: String?
    /// Which of how many messages found.
    var found: (place: Int, count: Int)?

    var isOnline: Bool {
        if case .online = connection { true } else { false }
    }

    func line(width: Int) -> Line {
        var left = state
        left.append("  #\(room)", Style(.text, on: .bar, [.bold]))
        if let notice {
            left.append("  " + notice.neutralized, Style(.warning, on: .bar))
        } else {
            for fact in facts { left.append("  " + fact, Style(.faint, on: .bar)) }
            if let loss { left.append("  " + "\(loss)".neutralized, Style(.warning, on: .bar)) }
        }
        var right = end
        right.append(" ", Style(.text, on: .bar))
        return left.withEnd(right, width: width, filling: Style(.text, on: .bar))
    }

    private var facts: [String] {
        var facts: [String] = []
        if loss == nil {
            // Otherwise the room is for why there is no connection.
            if let revision { facts.append("rev \(revision)") }
            if let latency { facts.append(latency.brief) }
        }
        if unanswered > 0 { facts.append("sending \(unanswered)…") }
        return facts
    }

    private var end: Line {
        if let found {
            let text = found.count == 0 ? "nothing found" : "\(found.place) of \(found.count)"
            return Line(text, Style(.accent, on: .bar, [.bold]))
        }
        if unread > 0 { return Line("↓ \(unread) new", Style(.warning, on: .bar, [.bold])) }
        return Line()
    }

    private var state: Line {
        switch connection {
        case .online: sign("●", "online", .good)
        case .connecting: sign("◌", "connecting", .warning)
        case .offline: sign("○", "offline", .faint)
        case .waiting: sign("○", secondsToRetry.map { "offline, again in \($0) s" } ?? "offline", .bad)
        case .ended(let loss): sign("✕", "\(loss)", .bad)
        }
    }

    private func sign(_ sign: String, _ text: String, _ hue: Style.Hue) -> Line {
        var line = Line(" \(sign) ", Style(hue, on: .bar, [.bold]))
        line.append(text.neutralized, Style(hue, on: .bar))
        return line
    }

    static func == (left: StatusLine, right: StatusLine) -> Bool {
        left.line(width: 200) == right.line(width: 200)
    }
}

extension Duration {
    /// In milliseconds, as precisely as it is of use.
    var brief: String {
        let (seconds, attoseconds) = components
        let milliseconds = Double(seconds) * 1_000 + Double(attoseconds) / 1e15
        return milliseconds < 10 ? "\((milliseconds * 10).rounded() / 10) ms" : "\(Int(milliseconds.rounded())) ms"
    }
}
