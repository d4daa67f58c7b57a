typealias MarkdownLine = ArraySlice<Unicode.Scalar>

/// Finds the blocks of lines that are within so many quotes and lists.
struct MarkdownBlocks {
    private static let mostQuotes = 4
    private static let mostLists = 2

    let quotes: Int
    let lists: Int

    private typealias Found = (block: Markdown.Block, end: Int)

    func blocks(of lines: [MarkdownLine]) -> [Markdown.Block] {
        var blocks: [Markdown.Block] = []
        var start = 0  // the first line of text that is in no block yet
        var place = 0
        func endText() {
            if let text = text(of: lines[start..<place]) { blocks.append(.text(text)) }
        }
        while place < lines.count {
            let isAfterText = place > start && !lines[place - 1].isBlank
            if let found = code(at: place, lines) ?? quote(at: place, lines) ?? list(at: place, lines, isAfterText) {
                endText()
                blocks.append(found.block)
                (start, place) = (found.end, found.end)
            } else {
                place += 1
            }
        }
        endText()
        return blocks
    }

    /// Returns what lines of text contain; `nil` if all are blank. A style ends at a blank line.
    private func text(of lines: ArraySlice<MarkdownLine>) -> [Markdown.Inline]? {
        guard let first = lines.firstIndex(where: { !$0.isBlank }), let last = lines.lastIndex(where: { !$0.isBlank })
        else { return nil }
        var nodes: [Markdown.Inline] = []
        var place = first
        while place <= last {
            let end = lines[place...last].firstIndex { $0.isBlank != lines[place].isBlank } ?? last + 1
            let part = Array(lines[place..<end].joined(separator: ["\n"]))
            if place > first { nodes.add(.plain("\n")) }
            if lines[place].isBlank {
                nodes.add(.plain(String(part)))
            } else {
                for node in MarkdownInlines.nodes(of: part) { nodes.add(node) }
            }
            place = end
        }
        return nodes
    }

    private func code(at place: Int, _ lines: [MarkdownLine]) -> Found? {
        guard let fence = lines[place].fence else { return nil }
        let info = lines[place].dropFirst(fence.indent + fence.length)
        let language = info.drop(while: \.isBlank).prefix { !$0.isBlank }
        if fence.sign == "`", info.contains("`") { return nil }
        let end = lines[(place + 1)...].firstIndex { line in
            guard let other = line.fence, other.sign == fence.sign, other.length >= fence.length else { return false }
            return line.dropFirst(other.indent + other.length).isBlank
        }
        let inner = lines[(place + 1)..<(end ?? lines.count)].map { line in
            line.dropFirst(min(fence.indent, line.prefix { $0 == " " }.count))
        }
        let code = String(inner.joined(separator: ["\n"]))
        let block = Markdown.Block.code(code, language: language.isEmpty ? nil : String(language))
        return (block, end.map { $0 + 1 } ?? lines.count)
    }

    private func quote(at place: Int, _ lines: [MarkdownLine]) -> Found? {
        guard quotes < Self.mostQuotes else { return nil }
        let inner = lines[place...].prefix { $0.quoted != nil }.compactMap(\.quoted)
        guard !inner.isEmpty else { return nil }
        return (.quote(MarkdownBlocks(quotes: quotes + 1, lists: lists).blocks(of: inner)), place + inner.count)
    }

    /// Only a list that begins with 1 stands right behind a line of text: a number there belongs to a sentence.
    private func list(at place: Int, _ lines: [MarkdownLine], _ isAfterText: Bool) -> Found? {
        guard lists < Self.mostLists, let first = lines[place].item else { return nil }
        if isAfterText, let number = first.number, number != 1 { return nil }
        var items: [[Markdown.Block]] = []
        var item: MarkdownItem? = first
        var (end, next) = (place, place)
        while let current = item, current.kind == first.kind {
            var inner = [current.content]
            next += 1
            end = next
            while next < lines.count {
                let isBlank = lines[next].isBlank
                guard let line = isBlank ? [] : lines[next].outdented(by: current.offset) else { break }
                inner.append(line)
                next += 1
                if !isBlank { end = next }
            }
            items.append(MarkdownBlocks(quotes: quotes, lists: lists + 1).blocks(of: inner.dropLast(next - end)))
            item = next < lines.count ? lines[next].item : nil
        }
        return (.list(items, start: first.number), end)
    }
}

/// The first line of an item of a list.
private struct MarkdownItem {
    /// The sign that all items of the list have.
    var kind: Unicode.Scalar
    var number: Int?
    /// The column at which its content begins.
    var offset: Int
    var content: MarkdownLine
}

extension Unicode.Scalar {
    var isBlank: Bool { self == " " || self == "\t" }
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

extension MarkdownLine {
    fileprivate var isBlank: Bool { allSatisfy(\.isBlank) }

    /// The spaces before a mark; `nil` if there are too many.
    private var indent: Int? {
        let spaces = prefix { $0 == " " }.count
        return spaces <= 3 ? spaces : nil
    }

    fileprivate var fence: (indent: Int, sign: Unicode.Scalar, length: Int)? {
        guard let indent, let sign = dropFirst(indent).first, sign == "`" || sign == "~" else { return nil }
        let length = dropFirst(indent).prefix { $0 == sign }.count
        return length >= 3 ? (indent, sign, length) : nil
    }

    /// The line behind the mark of a quote.
    fileprivate var quoted: MarkdownLine? {
        guard let indent, dropFirst(indent).first == ">" else { return nil }
        let rest = dropFirst(indent + 1)
        return rest.first?.isBlank == true ? rest.dropFirst() : rest
    }

    fileprivate var item: MarkdownItem? {
        guard let indent else { return nil }
        let digits = dropFirst(indent).prefix(10).prefix(while: \.isDigit)
        let rest = dropFirst(indent + digits.count)
        guard let sign = rest.first, digits.count <= 9, (digits.isEmpty ? "-*+" : ".)").unicodeScalars.contains(sign)
        else { return nil }
        let blanks = rest.dropFirst().prefix(while: \.isBlank)
        let content = rest.dropFirst(1 + blanks.count)
        guard !blanks.isEmpty, !content.isEmpty else { return nil }
        let after = indent + digits.count + 1
        let width = blanks.reduce(after) { $1.column(after: $0) } - after
        return MarkdownItem(
            kind: sign, number: Int(String(digits)), offset: after + (width > 4 ? 1 : width), content: content)
    }

    /// Returns a line without the first columns; `nil` if there is more than blanks in them.
    fileprivate func outdented(by offset: Int) -> MarkdownLine? {
        var column = 0
        var rest = self
        while column < offset {
            guard let first = rest.first, first.isBlank else { return nil }
            column = first.column(after: column)
            rest.removeFirst()
        }
        return column == offset ? rest : (Array(repeating: " ", count: column - offset) + rest)[...]
    }
}

extension Unicode.Scalar {
    /// Returns the column behind a blank; tabs stop at each fourth.
    fileprivate func column(after column: Int) -> Int { self == "\t" ? column - column % 4 + 4 : column + 1 }
}
