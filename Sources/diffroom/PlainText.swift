import ChatClient
import ChatWire
import TerminalUI

/// Formats changes as lines for people.
struct PlainText {
    enum Colours {
        case on
        case off
    }

    /// The rooms whose changes are formatted. With several, each line begins with its room.
    enum Rooms {
        case one
        case several
    }

    let colours: Colours
    let rooms: Rooms
    /// Formats a time in the reader's time zone.
    let clock: (Milliseconds) -> String
    /// The section of each room's last line.
    private var sections: [RoomName: Message.Section] = [:]

    init(colours: Colours, rooms: Rooms = .one, clock: @escaping (Milliseconds) -> String) {
        (self.colours, self.rooms, self.clock) = (colours, rooms, clock)
    }

    /// Returns the lines for a change, each with its end. A section's name stands before its first line, and again
    /// after lines of the other section.
    mutating func lines(for change: RoomChange) -> String {
        var text = ""
        for entry in change.entries {
            switch entry {
            // A line for each piece would repeat all before it. The last one has everything.
            case .message(.reloaded, let message) where message.content.growth == .open: break
            case .gap: text += styled("… \(change.view.missingText)", .faint) + "\n"
            case .message(let kind, let message):
                if message.section != sections[change.room] {
                    sections[change.room] = message.section
                    text += styled(message.section.rawValue, .faint) + "\n"
                }
                text += line(kind, message, in: change.view)
            }
        }
        return rooms == .one ? text : text.prefixed(with: styled("#\(change.room)", .faint) + " ")
    }

    private func line(_ kind: ChangeKind, _ message: Message, in view: RoomView) -> String {
        let indent = "\n        "
        let content = message.content
        var body = content.isFilesOnly ? "" : message.displayText.neutralized.replacing("\n", with: indent)
        // Where nothing was written, the files stand in the place of the text.
        if content.isFilesOnly { body = content.files.map { "[\($0.line)]" }.joined(separator: " ") }
        if let growth = message.content.growth { body += styled(" " + growth.note, .faint) }
        if message.edited != nil { body += styled(" (edited)", .faint) }
        if let replied = message.replyTo { body = styled("re \(reference(replied, view)) ", .faint) + body }
        if !content.isFilesOnly { for file in content.files { body += "\n    [\(file.line)]" } }
        for reaction in message.reactions {
            let users = reaction.users.map { $0.description.inOneLine }.joined(separator: ", ")
            // The indent is less than a text's, so that no text can look like a reaction.
            body += "\n    * \(reaction.emoji.inOneLine) " + styled(users, .faint)
        }
        let place = "\(styled(String(kind.sign), Style(kind))) \(message.sort)"
        guard message.author != .unknown else { return "\(place) \(body)\n" }
        let author = styled(message.author.description.inOneLine, .bold)
        let time = styled(clock(message.time), .faint)
        return "\(place) \(time) \(author): \(body)\n"
    }

    private func reference(_ id: MessageID, _ view: RoomView) -> String {
        view[id].map { "#\($0.sort)" } ?? String(id.description.prefix(8))
    }

    // MARK: - Styles

    private enum Style: String {
        case bold = "1"
        case faint = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
        case cyan = "36"

        init(_ kind: ChangeKind) {
            switch kind {
            case .inserted: self = .green
            case .deleted: self = .red
            case .reloaded: self = .yellow
            case .reconfigured: self = .cyan
            case .moved: self = .blue
            }
        }
    }

    private func styled(_ text: String, _ style: Style) -> String {
        switch colours {
        case .on: "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
        case .off: text
        }
    }
}

extension String {
    /// Returns the text with `prefix` before each line.
    ///
    /// - Precondition: each line has its end.
    fileprivate func prefixed(with prefix: String) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { "\(prefix)\($0)\n" }.joined()
    }
}
