import ChatClient
import ChatWire
import TerminalUI

/// Draws the text of a message in lines of a certain width.
struct MessageText {
    /// The columns that the text keeps, however much stands before it.
    private static let leastWidth = 8

    private let look: MessageLook
    private let message: Message
    private let width: Int
    private var lines: [Line] = []

    private init(_ message: Message, _ look: MessageLook, width: Int) {
        (self.message, self.look, self.width) = (message, look, width)
    }

    /// - Shape: at least one line.
    static func lines(_ message: Message, _ look: MessageLook, width: Int) -> [Line] {
        var drawing = MessageText(message, look, width: width)
        drawing.draw(Markdown.blocks(of: message.text), first: Line("  "), next: Line("  "))
        return drawing.lines.isEmpty ? [Line("  ")] : drawing.lines
    }

    /// Draws blocks behind the beginning of a first line, and of the next ones.
    private mutating func draw(_ blocks: [Markdown.Block], first: Line, next: Line) {
        for (index, block) in blocks.enumerated() {
            let lead = index == 0 ? first : next
            switch block {
            case .text(let nodes):
                var text = StyledText()
                for node in nodes { add(node, .text, to: &text) }
                draw(text, lead, next)
            case .quote(let inner): draw(inner, first: lead.with("│ ", .faint), next: next.with("│ ", .faint))
            case .list(let items, let start): draw(items, start, lead, next)
            case .code(let code, _):
                var text = StyledText()
                text.append(code.neutralized, .faint)
                draw(text, lead.with("  "), next.with("  "))
            }
        }
    }

    private mutating func draw(_ items: [[Markdown.Block]], _ start: Int?, _ lead: Line, _ next: Line) {
        for (index, item) in items.enumerated() {
            let mark = start.map { "\($0 + index). " } ?? "• "
            let blanks = String(repeating: " ", count: mark.displayWidth)
            draw(item, first: (index == 0 ? lead : next).with(mark), next: next.with(blanks))
        }
    }

    private mutating func draw(_ text: StyledText, _ first: Line, _ next: Line) {
        let isRoomy = width - next.width >= Self.leastWidth
        let (first, next) = isRoomy ? (first, next) : (Line("  "), Line("  "))
        let marks = look.query.isEmpty ? text.marks : text.marks(of: look.query)
        for (index, part) in text.text.wrapped(to: max(2, width - next.width)).enumerated() {
            var line = index == 0 ? first : next
            for piece in part.pieces(marked: marks) { line.append(piece.text, piece.style, target: piece.target) }
            lines.append(line)
        }
    }

    private func add(_ node: Markdown.Inline, _ style: Style, to text: inout StyledText, target: String? = nil) {
        func add(_ nodes: [Markdown.Inline], _ style: Style, target: String?) {
            for node in nodes { self.add(node, style, to: &text, target: target) }
        }
        switch node {
        case .plain(let words): addNames(in: words.neutralized, style, to: &text, target)
        case .emphasis(let nodes): add(nodes, style.with(.italic), target: target)
        case .strong(let nodes): add(nodes, style.with(.bold), target: target)
        case .strike(let nodes): add(nodes, Style(.faint, on: style.ground, style.traits), target: target)
        case .code(let code): text.append(code.neutralized, Style(.faint, on: style.ground, style.traits), target)
        case .address(let address): addLink(address, to: &text)
        case .link(let address, let nodes):
            let address = address.neutralized.replacing(" ", with: "%20")
            add(nodes, Style(.accent, on: style.ground, style.traits.union(.underline)), target: address)
            // A terminal need not know links, and the words may name another place.
            text.append(" (", .faint)
            text.append(address, .faint, address)
            text.append(")", .faint)
        }
    }

    private func addLink(_ address: String, to text: inout StyledText) {
        let address = address.neutralized
        text.append(address, Style(.accent, [.underline]), address)
    }

    /// Adds words in which the names of those that the message mentions stand out.
    private func addNames(in words: String, _ style: Style, to text: inout StyledText, _ target: String?) {
        let own = Style(.warning, [.bold])
        var names = message.mentions.people.map { ("@\($0)", $0 == look.user ? own : Style(.accent, [.bold])) }
        if message.mentions.everyone { names.append(("@\(Mentioned.wordForEveryone)", own)) }
        let places = names.flatMap { name, look in
            words.ranges(of: name).filter { !words[$0.upperBound...].goesOn }.map { (range: $0, look: look) }
        }
        var index = words.startIndex
        // The longer of two names that begin alike is meant.
        for (range, look) in places.sorted(by: {
            ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
        })
        where range.lowerBound >= index {
            text.append(words[index..<range.lowerBound], style, target)
            text.append(words[range], Style(look.hue, on: style.ground, look.traits.union(style.traits)), target)
            index = range.upperBound
        }
        text.append(words[index...], style, target)
    }
}

/// A text with the styles of its parts.
private struct StyledText {
    typealias Mark = (range: Range<String.Index>, style: Style, target: String?)

    private(set) var text = ""
    private var parts: [(size: Int, style: Style, target: String?)] = []

    mutating func append(_ part: some StringProtocol, _ style: Style, _ target: String? = nil) {
        guard !part.isEmpty else { return }
        text += part
        parts.append((part.utf8.count, style, target))
    }

    /// The places of its parts.
    var marks: [Mark] {
        var index = text.startIndex
        return parts.map { size, style, target in
            let end = text.utf8.index(index, offsetBy: size)
            defer { index = end }
            return (index..<end, style, target)
        }
    }

    func marks(of query: String) -> [Mark] {
        ranges(of: query, in: text).map { ($0, Style(.text, on: .found), nil) }
    }
}

extension Substring {
    /// True when a name that ended before it would go on in it.
    fileprivate var goesOn: Bool { first.map { $0.isLetter || $0.isWholeNumber || $0 == "_" } ?? false }

    /// Returns the pieces of the text inside and outside the marks, which must begin in ascending order.
    fileprivate func pieces(marked marks: [StyledText.Mark]) -> [(text: Substring, style: Style, target: String?)] {
        var pieces: [(Substring, Style, String?)] = []
        var index = startIndex
        for (range, style, target) in marks where range.upperBound > index && range.lowerBound < endIndex {
            let marked = Swift.max(index, range.lowerBound)..<Swift.min(endIndex, range.upperBound)
            pieces.append((self[index..<marked.lowerBound], .text, nil))
            pieces.append((self[marked], style, target))
            index = marked.upperBound
        }
        pieces.append((self[index...], .text, nil))
        return pieces.filter { !$0.0.isEmpty }
    }
}

extension Style {
    fileprivate func with(_ trait: Traits) -> Style { Style(hue, on: ground, traits.union(trait)) }
}

extension Line {
    fileprivate func with(_ text: String, _ style: Style = .text) -> Line {
        var line = self
        line.append(text, style)
        return line
    }
}
