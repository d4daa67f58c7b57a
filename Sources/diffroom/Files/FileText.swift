import ChatWire
import TerminalUI

extension Int {
    /// A number of bytes such as `12 kB`, where a kB has 1,024 bytes as in the flags of the server.
    var bytesInWords: String {
        guard self >= 1_000 else { return "\(self) B" }
        var (number, unit) = (Double(self) / 1_024, 0)
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
        // 999.5 would be rounded to 1,000.
        while number >= 999.5, unit + 1 < units.count {
            number /= 1_024
            unit += 1
        }
        let tenths = Int((number * 10).rounded())
        let isExact = tenths >= 100 || tenths % 10 == 0
        return (isExact ? "\(Int(number.rounded()))" : "\(tenths / 10).\(tenths % 10)") + " " + units[unit]
    }
}

extension MessageContent {
    /// True when the text says no more than which files there are, as clients write it where a person writes nothing.
    var isFilesOnly: Bool { !files.isEmpty && text == Self.text(for: files) }

    /// - Parameter text: empty if nothing was written.
    init(_ files: [Attachment], _ text: String, mentions: Mentioned) {
        self.init(text.isEmpty ? Self.text(for: files) : text, mentions: mentions, files: files)
    }

    private static func text(for files: [Attachment]) -> String { files.map(\.name).joined(separator: ", ") }
}

extension Attachment {
    /// The name and the size, in one line.
    var line: String { "\(name.inOneLine), \(file.size.bytesInWords)" }
}

/// The rows of a message's files on the screen.
struct FileRows {
    let message: Message
    /// The addresses that were asked for.
    let links: [FilePlace: String]
    let width: Int

    /// The columns that a name keeps beside the size.
    private static let leastName = 12
    private static let indent = "  ▤ "
    private static let blanks = "    "

    var lines: [Line] { message.content.files.flatMap(lines) }

    private func lines(_ file: Attachment) -> [Line] {
        let place = FilePlace(message: message.id, file: file.id)
        let (link, size) = (links[place], file.file.size.bytesInWords)
        let target = link ?? ClickTarget.file(place).text
        let style = link == nil ? Style(.accent, []) : Style(.accent, [.underline])
        let room = max(2, width - Self.indent.displayWidth)
        let beside = room - size.displayWidth - 2
        let name = file.name.inOneLine
        var line = Line(Self.indent, .faint)
        line.append(name.truncated(to: beside >= Self.leastName ? beside : room), style, target: target)
        var lines = [line]
        if beside >= Self.leastName {
            lines[0].append("  \(size)", .faint)
        } else {
            lines.append(Line(Self.blanks + size.truncated(to: room), .faint))
        }
        guard let link else { return lines }
        return lines
            + link.wrapped(to: room).map { part in
                var line = Line(Self.blanks)
                line.append(part, .faint, target: link)
                return line
            }
    }
}
