/// A piece of a text that was read.
enum MarkdownPiece {
    case plain(String)
    case node(Markdown.Inline)
    case run(MarkdownRun)
    case linkStart(String)
    case linkEnd
}

/// The tree that is made of pieces, with the nodes that have not ended yet.
struct MarkdownTree {
    private enum Kind {
        case style(sign: Unicode.Scalar, length: Int)
        /// A style in too many others, which stays in its marks.
        case marks(String)
        case link(String)
    }

    private static let mostStyles = 16

    /// The kinds of the nodes that have not ended, the innermost last.
    private var open: [Kind] = []
    /// The nodes of the whole text, and then of all that is open and has nodes of its own.
    private var inner: [[Markdown.Inline]] = [[]]

    var nodes: [Markdown.Inline] { inner[0] }

    mutating func append(_ piece: MarkdownPiece) {
        switch piece {
        case .plain(let text): add(.plain(text))
        case .node(let node): add(node)
        case .linkStart(let address): begin(.link(address))
        case .linkEnd: end()
        case .run(let run):
            for _ in 0..<run.ended { end() }
            add(.plain(String(repeatElement(run.sign, count: run.left))))
            for length in run.begun.reversed() { beginStyle(run.sign, length) }
        }
    }

    private mutating func add(_ node: Markdown.Inline) {
        inner[inner.count - 1].add(node)
    }

    private mutating func begin(_ kind: Kind) {
        open.append(kind)
        inner.append([])
    }

    private mutating func beginStyle(_ sign: Unicode.Scalar, _ length: Int) {
        guard inner.count > Self.mostStyles else { return begin(.style(sign: sign, length: length)) }
        let marks = String(repeatElement(sign, count: length))
        add(.plain(marks))
        open.append(.marks(marks))
    }

    private mutating func end() {
        guard let kind = open.popLast() else { return }
        if case .marks(let marks) = kind { return add(.plain(marks)) }
        let nodes = inner.removeLast()
        switch kind {
        case .style(sign: "~", _): add(.strike(nodes))
        case .style(_, length: 2): add(.strong(nodes))
        case .style: add(.emphasis(nodes))
        case .link(let address): add(.link(address, nodes))
        case .marks: break
        }
    }
}

/// The address of a link, in round brackets behind its text.
struct MarkdownTarget {
    private static let mostBrackets = 32

    let address: String
    /// The place behind the closing bracket.
    let end: Int

    init?(in text: [Unicode.Scalar], at place: Int) {
        guard place < text.count, text[place] == "(" else { return nil }
        var start = text.endOfBlanks(from: place + 1)
        let isAngled = start < text.count && text[start] == "<"
        if isAngled { start += 1 }
        guard text[start...].beginsWebAddress else { return nil }
        guard let stop = isAngled ? Self.angledEnd(text, start) : Self.bareEnd(text, start) else { return nil }
        let end = text.endOfBlanks(from: isAngled ? stop + 1 : stop)
        guard end < text.count, text[end] == ")", !text[start..<stop].contains(where: \.isUnseenInTarget) else {
            return nil
        }
        (address, self.end) = (Self.unescaped(text[start..<stop]), end + 1)
    }

    private static func isEscape(_ text: [Unicode.Scalar], _ place: Int) -> Bool {
        text[place] == "\\" && place + 1 < text.count && text[place + 1].isASCIIPunctuation
    }

    private static func angledEnd(_ text: [Unicode.Scalar], _ start: Int) -> Int? {
        var place = start
        while place < text.count, text[place] != "<", text[place] != "\n" {
            if text[place] == ">" { return place }
            place += isEscape(text, place) ? 2 : 1
        }
        return nil
    }

    /// Returns where an address ends: at a blank, or before the bracket that closes none of its own.
    private static func bareEnd(_ text: [Unicode.Scalar], _ start: Int) -> Int? {
        var (place, depth) = (start, 0)
        while place < text.count, text[place] > " " {
            if isEscape(text, place) {
                place += 1
            } else if text[place] == "(" {
                depth += 1
                if depth > mostBrackets { return nil }
            } else if text[place] == ")" {
                if depth == 0 { return place }
                depth -= 1
            }
            place += 1
        }
        return depth == 0 ? place : nil
    }

    private static func unescaped(_ text: ArraySlice<Unicode.Scalar>) -> String {
        var result: [Unicode.Scalar] = []
        var isEscaped = false
        for scalar in text {
            if isEscaped, scalar.isASCIIPunctuation { result.removeLast() }
            result.append(scalar)
            isEscaped = scalar == "\\" && !(isEscaped && scalar.isASCIIPunctuation)
        }
        return String(result)
    }
}

extension [Unicode.Scalar] {
    fileprivate func endOfBlanks(from place: Int) -> Int {
        self[place...].firstIndex { !$0.isBlank && $0 != "\n" } ?? count
    }
}

extension ArraySlice<Unicode.Scalar> {
    fileprivate var beginsWebAddress: Bool {
        let scheme = prefix { $0 != ":" && $0.isASCII }.prefix(6)
        guard ["http", "https"].contains(String(scheme).lowercased()),
            dropFirst(scheme.count).starts(with: "://".unicodeScalars)
        else { return false }
        return dropFirst(scheme.count + 3).first?.beginsHost ?? false
    }
}

extension Unicode.Scalar {
    fileprivate var beginsHost: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: self == "["
        }
    }

    /// True for a character that an address must not hide.
    fileprivate var isUnseenInTarget: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned: true
        default: properties.isDefaultIgnorableCodePoint || self == "\u{2800}"
        }
    }
}
