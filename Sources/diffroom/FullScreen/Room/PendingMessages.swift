import ChatClient
import ChatWire
import TerminalUI

/// The messages that the user has sent and that are not in the room's list yet.
///
/// They stand below the list, dimmed, until the list has them or the server refuses them.
struct PendingMessages: Equatable {
    private struct Entry: Equatable {
        let id: MessageID
        let text: String
        /// The revision of the room that has the message; `nil` before the server has acknowledged it.
        var revision: Revision?
    }

    private var entries: [Entry] = []

    /// The most lines of one message.
    private static let longest = 3
    /// The blanks before a text, as in the list.
    private static let indent = "   "

    /// The texts, the oldest first.
    var texts: [String] { entries.map(\.text) }

    mutating func add(_ id: MessageID, _ text: String) {
        entries.append(Entry(id: id, text: text))
    }

    /// Removes a message that was refused.
    mutating func remove(_ id: MessageID) {
        entries.removeAll { $0.id == id }
    }

    /// Notes the acknowledgement of a message.
    ///
    /// - Parameter effect: the list and revision that show it; `nil` if the server does not know it any more.
    mutating func acknowledge(_ id: MessageID, _ effect: ServerFrame.Effect?, in view: RoomView?) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
        entries[index].revision = effect?.revision ?? 0
        removeShown(in: view)
    }

    /// Removes the messages that the room has. One that it had, and that is deleted already, is acknowledged.
    mutating func removeShown(in view: RoomView?) {
        guard !entries.isEmpty, let view else { return }
        entries.removeAll { entry in view[entry.id] != nil || entry.revision.map { $0 <= view.revision } ?? false }
    }

    /// Returns the lines of the newest messages that fit.
    ///
    /// - Shape: at most `rows` lines; the first one counts the messages that do not fit.
    func lines(size: Frame.Size, isOnline: Bool) -> [Line] {
        var (lines, shown) = ([Line](), 0)
        for entry in entries.reversed() {
            let more = Self.lines(entry, size.columns, isOnline: isOnline)
            let isLast = shown + 1 == entries.count
            guard lines.count + more.count + (isLast ? 0 : 1) <= size.rows else { break }
            lines = more + lines
            shown += 1
        }
        let rest = entries.count - shown
        if rest > 0, size.rows > 0 {
            let text = "\(rest.grouped) \(shown > 0 ? "earlier " : "")not sent yet"
            lines.insert(Line(Self.indent + text, .faint), at: 0)
        }
        return lines.map { $0.fitted(to: size.columns) }
    }

    private static func lines(_ entry: Entry, _ width: Int, isOnline: Bool) -> [Line] {
        let state = isOnline ? "sending…" : "waits for a connection"
        let parts = entry.text.neutralized.wrapped(to: max(2, width - indent.count))
        var lines = parts.prefix(longest).map { Line(indent + $0, .faint) }
        let note = (parts.count > longest ? "… " : "  ") + state
        if let last = lines.last, last.width + note.displayWidth <= width {
            lines[lines.count - 1].append(note, Style(.faint, [.italic]))
        } else {
            lines.append(Line(indent + state, Style(.faint, [.italic])))
        }
        return lines
    }
}
