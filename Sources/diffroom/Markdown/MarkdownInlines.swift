/// Reads a text from its beginning to its end, and then makes nodes of what it has found.
struct MarkdownInlines {
    private let text: [Unicode.Scalar]
    private var place = 0
    private var items: [MarkdownPiece] = []
    /// The places in `items` of the runs of marks that have no partner yet.
    private var runs: [Int] = []
    /// The brackets with which a link may begin.
    private var brackets: [(item: Int, runs: Int, place: Int)] = []
    /// The web addresses, the next one last.
    private var addresses: [Range<Int>]
    /// The places of the runs of backticks by their lengths, the next ones last.
    private var ticks: [Int: [Int]]?

    private init(_ text: [Unicode.Scalar]) {
        self.text = text
        addresses = text.addresses.reversed()
    }

    static func nodes(of text: [Unicode.Scalar]) -> [Markdown.Inline] {
        var reading = MarkdownInlines(text)
        while reading.place < text.count { reading.readNext() }
        reading.pair(from: 0)
        var tree = MarkdownTree()
        for item in reading.items { tree.append(item) }
        return tree.nodes
    }

    private mutating func readNext() {
        while let next = addresses.last, next.lowerBound < place { addresses.removeLast() }
        if let address = addresses.last, address.lowerBound == place {
            brackets = []  // no link has another in it
            return put(.node(.address(String(text[address]))), address.count)
        }
        let limit = addresses.last?.lowerBound ?? text.count
        let end = text[place..<limit].firstIndex(where: \.isMark) ?? limit
        if end > place { return put(.plain(String(text[place..<end])), end - place) }
        switch text[place] {
        case "\\": readEscape()
        case "`": readCode()
        case "[": readOpening()
        case "]": readClosing()
        default: readRun()
        }
    }

    private mutating func put(_ item: MarkdownPiece, _ length: Int) {
        items.append(item)
        place += length
    }

    private mutating func readEscape() {
        let next = text.dropFirst(place + 1).first
        if let next, next.isASCIIPunctuation { put(.plain(String(next)), 2) } else { put(.plain("\\"), 1) }
    }

    private var lengthOfRun: Int { text[place...].prefix { $0 == text[place] }.count }

    /// A code lasts to the next run of as many backticks.
    private mutating func readCode() {
        let length = lengthOfRun
        var ticks = self.ticks ?? text.ticks
        self.ticks = nil
        while let next = ticks[length]?.last, next < place + length { ticks[length]?.removeLast() }
        self.ticks = ticks
        guard let end = ticks[length]?.last else { return put(.plain(String(repeating: "`", count: length)), length) }
        var code = text[(place + length)..<end]
        let isSpace = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\n" }
        if let first = code.first, let last = code.last, isSpace(first), isSpace(last), !code.allSatisfy(isSpace) {
            code = code.dropFirst().dropLast()
        }
        put(.node(.code(String(code))), end + length - place)
    }

    private mutating func readOpening() {
        brackets.append((items.count, runs.count, place))
        put(.plain("["), 1)
    }

    private mutating func readClosing() {
        guard let opener = brackets.popLast(), let target = MarkdownTarget(in: text, at: place + 1),
            text[(opener.place + 1)..<place].contains(where: { !$0.isBlank && $0 != "\n" })
        else { return put(.plain("]"), 1) }
        pair(from: opener.runs)
        items[opener.item] = .linkStart(target.address)
        put(.linkEnd, target.end - place)
        brackets = []
    }

    /// A run opens or closes a style, or both, by the characters beside it.
    private mutating func readRun() {
        let (sign, size) = (text[place], lengthOfRun)
        guard sign != "~" || size == 2 else { return put(.plain(String(text[place..<(place + size)])), size) }
        let before = MarkdownNeighbour(text[..<place].last)
        let after = MarkdownNeighbour(text[(place + size)...].first)
        let isLeft = after != .space && (after != .sign || before != .letter)
        let isRight = before != .space && (before != .sign || after != .letter)
        let opens = isLeft && (sign != "_" || !isRight || before == .sign)
        let closes = isRight && (sign != "_" || !isLeft || after == .sign)
        if opens || closes { runs.append(items.count) }
        put(.run(MarkdownRun(sign: sign, size: size, opens: opens, closes: closes)), size)
    }

    /// Pairs the runs from one on: each that closes with the nearest that opens the same.
    private mutating func pair(from first: Int) {
        var openers: [Int] = []
        var bottoms: [MarkdownRun.Kind: Int] = [:]  // before which there is no opener for such a run
        for place in runs[first...] {
            guard var run = removeRun(at: place) else { continue }
            while run.closes, run.left > 0 {
                guard let index = opener(for: run, among: openers, from: bottoms[run.kind] ?? 0) else {
                    bottoms[run.kind] = place
                    break
                }
                guard var opener = removeRun(at: openers[index]) else { break }
                let length = min(opener.left, run.left, 2)
                opener.begun.append(length)
                run.ended += 1
                opener.left -= length
                run.left -= length
                items[openers[index]] = .run(opener)
                openers.removeSubrange((opener.left > 0 ? index + 1 : index)...)
            }
            items[place] = .run(run)
            if run.opens, run.left > 0 { openers.append(place) }
        }
        runs.removeSubrange(first...)
    }

    private func opener(for closer: MarkdownRun, among openers: [Int], from bottom: Int) -> Int? {
        for index in openers.indices.reversed() {
            guard openers[index] >= bottom, case .run(let opener) = items[openers[index]] else { return nil }
            if opener.isPartner(of: closer) { return index }
        }
        return nil
    }

    /// Moves a run out of the items, so that it changes without a copy.
    private mutating func removeRun(at place: Int) -> MarkdownRun? {
        guard case .run(let run) = items[place] else { return nil }
        items[place] = .plain("")
        return run
    }
}

/// A run of marks.
struct MarkdownRun {
    struct Kind: Hashable {
        var sign: Unicode.Scalar
        var opens: Bool
        var size: Int
    }

    let sign: Unicode.Scalar
    let size: Int
    let opens: Bool
    let closes: Bool
    /// The marks without a partner.
    var left: Int
    /// The numbers of marks of the styles that begin here, the innermost first.
    var begun: [Int] = []
    /// The number of styles that end here.
    var ended = 0

    init(sign: Unicode.Scalar, size: Int, opens: Bool, closes: Bool) {
        (self.sign, self.size, self.opens, self.closes, left) = (sign, size, opens, closes, size)
    }

    var kind: Kind { Kind(sign: sign, opens: opens, size: size % 3) }

    func isPartner(of closer: MarkdownRun) -> Bool {
        guard sign == closer.sign else { return false }
        if sign == "~" || !(closer.opens || closes) { return true }
        return closer.size % 3 == 0 || (size + closer.size) % 3 != 0
    }
}

/// The kind of character beside a run of marks. The ends of a text are like spaces.
private enum MarkdownNeighbour {
    case space
    case sign
    case letter

    init(_ scalar: Unicode.Scalar?) {
        switch scalar?.properties.generalCategory {
        case nil, .spaceSeparator: self = .space
        case .control: self = "\t\n\u{0C}\r".unicodeScalars.contains { $0 == scalar } ? .space : .letter
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
            self = .sign
        default: self = .letter
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        switch self {
        case "\\", "`", "*", "_", "~", "[", "]": true
        default: false
        }
    }

    /// True for a character that a backslash escapes.
    var isASCIIPunctuation: Bool {
        ("!"..."/").contains(self) || (":"..."@").contains(self) || ("["..."`").contains(self)
            || ("{"..."~").contains(self)
    }
}

extension [Unicode.Scalar] {
    /// The places of the web addresses.
    fileprivate var addresses: [Range<Int>] {
        let text = String(self)
        var (place, offset) = (text.startIndex, 0)
        return links(in: text).map { link in
            let start = offset + text.unicodeScalars.distance(from: place, to: link.lowerBound)
            let end = start + text.unicodeScalars.distance(from: link.lowerBound, to: link.upperBound)
            (place, offset) = (link.upperBound, end)
            return start..<end
        }
    }

    /// The places of the runs of backticks by their lengths, the last first.
    fileprivate var ticks: [Int: [Int]] {
        var places: [Int: [Int]] = [:]
        var end = count
        while let last = self[..<end].lastIndex(of: "`") {
            let start = self[..<last].lastIndex { $0 != "`" }.map { $0 + 1 } ?? 0
            places[last + 1 - start, default: []].append(start)
            end = start
        }
        return places
    }
}
