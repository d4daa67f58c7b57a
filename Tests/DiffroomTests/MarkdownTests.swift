import Foundation
import TestSupport
import Testing

@testable import diffroom

@Suite struct MarkdownTests {
    @Test func treesAreThoseOfTheVectors() throws {
        for example in try ProtocolDocuments.vectors("markdown") {
            let text = try #require(example["text"] as? String)
            let expected = try json(#require(example["tree"]))

            #expect(try json(tree(of: text)) == expected, "\(text)")
        }
    }

    @Test func wordsAreThoseOfTheVectors() throws {
        for example in try ProtocolDocuments.vectors("markdown") {
            let text = try #require(example["text"] as? String)

            #expect(Markdown.withoutMarks(text) == example["words"] as? String, "\(text)")
        }
    }

    /// The page's parser runs in Node over the same texts.
    @Test(.enabled(if: hasNode)) func thePageReadsTheSameTrees() throws {
        var random = SplitMix64(seed: 32)
        let texts = (0..<6_000).map { _ in MarkdownTexts.random(&random) }
        let folder = TemporaryFolder()
        try JSONSerialization.data(withJSONObject: texts).write(to: URL(filePath: folder.file("texts.json")))

        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Web/markdown-trees.js")
        let output = try run("node", [script.path, folder.file("texts.json")])
        let trees = try #require(try JSONSerialization.jsonObject(with: output) as? [Any])

        for (text, expected) in zip(texts, trees) {
            #expect(try json(tree(of: text)) == json(expected), "\(text.debugDescription)")
        }
        #expect(trees.count == texts.count)
    }

    /// A text of plain lines is one block with the text itself.
    @Test func plainTextStaysAsItIs() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<2_000 {
            let inner = MarkdownTexts.random(
                &random, of: ["a", "b.", " ", "\n", "\n\n", "中", "!", "x3", "(c)", "-", "#"])
            let text = "x\(inner)y"
            guard !text.contains("\n-"), !text.contains("\n -"), !text.contains("\n  ") else { continue }

            #expect(Markdown.blocks(of: text) == [.text([.plain(text)])], "\(text.debugDescription)")
            #expect(Markdown.withoutMarks(text) == text)
        }
    }

    /// A step that goes over the text for each mark would need minutes. The processor's time does not depend on other tests.
    @Test(arguments: MarkdownTexts.hostile)
    func hostileTextIsReadInLinearTime(unit: String) {
        let text = String(repeating: unit, count: 65_536 / unit.utf8.count)
        var (start, end) = (timespec(), timespec())
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)

        _ = Markdown.blocks(of: text)

        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
        #expect(end.tv_sec - start.tv_sec < 2, "\(unit)")
    }
}

private let hasNode = ["/usr/bin/node", "/usr/local/bin/node"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
}

private func run(_ program: String, _ arguments: [String]) throws -> Data {
    let pipe = try ChildPipe()
    let child = try ChildProcess(program, arguments, output: pipe.writing.fileDescriptor)
    try pipe.writing.close()
    let output = try pipe.reading.readToEnd() ?? Data()
    #expect(child.wait() == .exit(0))
    return output
}

private func json(_ tree: Any) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: tree, options: .sortedKeys), as: UTF8.self)
}

/// Returns the tree of a text as the vectors have it.
private func tree(of text: String) -> [Any] { Markdown.blocks(of: text).map(value) }

private func value(_ block: Markdown.Block) -> Any {
    switch block {
    case .text(let nodes): return ["text": nodes.map(value)]
    case .quote(let blocks): return ["quote": blocks.map(value)]
    case .list(let items, let start):
        var list: [String: Any] = ["list": items.map { $0.map(value) }]
        list["start"] = start
        return list
    case .code(let code, let language):
        var block = ["code": code]
        block["language"] = language
        return block
    }
}

private func value(_ node: Markdown.Inline) -> Any {
    switch node {
    case .plain(let text): text
    case .emphasis(let nodes): ["em": nodes.map(value)]
    case .strong(let nodes): ["strong": nodes.map(value)]
    case .strike(let nodes): ["strike": nodes.map(value)]
    case .code(let code): ["code": code]
    case .link(let address, let nodes): ["link": address, "text": nodes.map(value)] as [String: Any]
    case .address(let address): ["address": address]
    }
}

private enum MarkdownTexts {
    private static let parts = [
        "*", "**", "***", "_", "__", "~~", "~", "`", "``", "```", "~~~", "\\", "[", "]", "](https://a.example/x)",
        "](<https://b.example/y>)", "](https://c.example/(z))", "](http://", "(", ")", "<", ">", "> ", ">> ", "- ",
        "* ", "+ ",
        "1. ", "2) ", "10. ", "\n", "\n", "\n\n", "  ", "   ", "    ", "\t", " ", "a", "b c", "é", "中", "。", "🦊", "!",
        "\"", "€",
        "https://d.example/_e_", "HTTP://f.example", "\r\n", "@bob", "```js\n", "\n```\n", "\u{A0}", "x_y_z",
    ]
    static let hostile = [
        "*", "**a ", "*a _b ", "[", "[ ", "`", "`` ` ", "> ", ">", "- ", "1. a\n", "- a\n  - b\n", "[a](https://x(",
        "[a](<https://x",
        "~~", "~~a", "a*_", "https://a]", "https://a.example/.", "_a", "*a_", "\\", "```\n", "  \n",
        "[*a](https://x.y)", "a**b c* ",
        "*`a`", "* ", "~~~",
    ]

    static func random(_ random: inout SplitMix64, of parts: [String] = parts) -> String {
        (0..<Int.random(in: 1..<24, using: &random)).compactMap { _ in parts.randomElement(using: &random) }.joined()
    }
}
