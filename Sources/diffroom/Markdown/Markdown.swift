/// The Markdown that a message may have.
///
/// ```swift
/// Markdown.blocks(of: "*a* `b`")  // [.text([.emphasis([.plain("a")]), .plain(" "), .code("b")])]
/// ```
///
/// The blocks are text, quotes, lists and fenced code; within text there are emphasis, struck-out text, code, links and
/// web addresses. Everything else is plain text, and so is what nests too deep.
///
/// - Source: CommonMark 0.31.2, "Appendix: A parsing strategy", with the differences in
///   docs/protocol-reference.md. The page has the same parser, and docs/protocol/vectors/markdown.json the cases of both.
enum Markdown {
    indirect enum Inline: Hashable {
        case plain(String)
        case emphasis([Inline])
        case strong([Inline])
        case strike([Inline])
        case code(String)
        case link(String, [Inline])
        case address(String)
    }

    indirect enum Block: Hashable {
        case text([Inline])
        case quote([Block])
        /// The items, and the number of the first of a numbered list.
        case list([[Block]], start: Int?)
        case code(String, language: String?)
    }

    /// - Complexity: O(characters).
    static func blocks(of text: String) -> [Block] {
        MarkdownBlocks(quotes: 0, lists: 0).blocks(of: text.markdownLines)
    }

    /// Returns a text without its marks, as in a list of rooms.
    static func withoutMarks(_ text: String) -> String {
        guard text.utf8.contains(where: \.mayMark) else { return text.unicodeScalars.allSatisfy(\.isBlank) ? "" : text }
        return blocks(of: text).map(\.words).joined(separator: "\n")
    }
}

extension Markdown {
    /// Returns the words of a text that may mention people: those that are no code.
    static func spoken(_ text: String) -> String {
        guard text.contains("`") || text.contains("~~~") else { return text }
        return blocks(of: text).map { $0.words { _ in " " } }.joined(separator: "\n")
    }
}

extension Markdown.Block {
    fileprivate var words: String { words { $0 } }

    /// Returns the text without marks, with what stands for each code.
    fileprivate func words(code: @escaping (String) -> String) -> String {
        let whole = { (blocks: [Markdown.Block]) in blocks.map { $0.words(code: code) }.joined(separator: "\n") }
        switch self {
        case .text(let nodes): return nodes.map { $0.words(code: code) }.joined()
        case .quote(let blocks): return whole(blocks)
        case .list(let items, let start):
            return items.enumerated().map { index, item in
                (start.map { "\($0 + index). " } ?? "• ") + whole(item)
            }.joined(separator: "\n")
        case .code(let text, _): return code(text)
        }
    }
}

extension Markdown.Inline {
    fileprivate func words(code: @escaping (String) -> String) -> String {
        switch self {
        case .plain(let text), .address(let text): text
        case .code(let text): code(text)
        case .emphasis(let nodes), .strong(let nodes), .strike(let nodes), .link(_, let nodes):
            nodes.map { $0.words(code: code) }.joined()
        }
    }
}

extension [Markdown.Inline] {
    /// Adds a node; texts beside each other are one.
    mutating func add(_ node: Markdown.Inline) {
        guard case .plain(let text) = node else { return append(node) }
        if text.isEmpty { return }
        guard case .plain(var whole) = last else { return append(node) }
        removeLast()  // so that the text grows without a copy
        whole += text
        append(.plain(whole))
    }
}

extension UInt8 {
    /// True for a byte with which something other than plain text may begin.
    fileprivate var mayMark: Bool { "\\`*_~[>\r\n-+.)".utf8.contains(self) }
}

extension String {
    fileprivate var markdownLines: [MarkdownLine] {
        var lines: [MarkdownLine] = []
        var line: [Unicode.Scalar] = []
        var previous: Unicode.Scalar = "\0"
        for scalar in unicodeScalars {
            defer { previous = scalar }
            if scalar == "\n", previous == "\r" { continue }
            if scalar == "\n" || scalar == "\r" {
                lines.append(line[...])
                line = []
            } else {
                line.append(scalar)
            }
        }
        return lines + [line[...]]
    }

    init(_ scalars: some Sequence<Unicode.Scalar>) {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        self.init(view)
    }
}
