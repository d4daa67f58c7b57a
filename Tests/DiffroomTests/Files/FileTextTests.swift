import ChatWire
import TerminalUI
import Testing

@testable import diffroom

@Suite struct FileTextTests {
    private func file(_ name: String, _ size: Int = 2_000_000, _ number: UInt64 = 1) -> ChatWire.Attachment {
        let sha256 = String(repeating: "a", count: 64)
        return ChatWire.Attachment(
            id: FileID(high: 0, low: number),
            FileDescription(name: name, media: "image/png", size: size, sha256: sha256)!)
    }

    private func message(_ text: String, _ files: [ChatWire.Attachment], reactions: [Reaction] = []) -> Message {
        Message(
            id: MessageID(high: 0, low: 1), section: .socket, sort: 1, rev: 1, author: UserName("bob")!, time: 0,
            content: MessageContent(text, files: files), reactions: reactions)
    }

    @Test(arguments: [
        (1, "1 B"), (999, "999 B"), (1_000, "1 kB"), (1_024, "1 kB"), (1_536, "1.5 kB"), (10_239, "10 kB"),
        (12_345, "12 kB"), (1_023_000, "999 kB"), (1_023_900, "1 MB"), (1_048_576, "1 MB"), (3_000_000, "2.9 MB"),
        (104_857_600, "100 MB"), (125_829_120, "120 MB"), (1 << 30, "1 GB"), (5 << 38, "1.3 TB"), (Int.max, "8 EB"),
    ])
    func aSizeIsInWords(bytes: Int, words: String) {
        #expect(bytes.bytesInWords == words)
    }

    @Test func aLargerSizeHasNoSmallerWords() {
        var last = (number: 0.0, unit: 0)
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        for exponent in 0..<1_240 {
            let words = Int(1.035.power(exponent)).bytesInWords.split(separator: " ")
            let now = (number: Double(words[0])!, unit: units.firstIndex(of: String(words[1]))!)

            #expect((last.unit, last.number) <= (now.unit, now.number) && words[0].count <= 4)
            last = now
        }
    }

    @Test(arguments: [
        ("cat.png", "image/png"), ("CAT.JPG", "image/jpeg"), ("a.tar.gz", "application/gzip"),
        ("song.m4a", "audio/mp4"),
        ("film.webm", "video/webm"), ("notes", "application/octet-stream"), (".png", "application/octet-stream"),
        ("x.", "application/octet-stream"), ("x.exe", "application/octet-stream"), ("é.pdf", "application/pdf"),
    ])
    func theTypeIsThatOfTheEndOfTheName(name: String, media: String) {
        #expect(MediaType.named(name) == media)
        #expect(FileDescription(name: name, media: media, size: 1, sha256: String(repeating: "0", count: 64)) != nil)
    }

    // MARK: - Rows

    private func targets(_ line: Line) -> Set<String> { Set((0..<line.width).compactMap(line.target)) }

    private let look = MessageLook(user: UserName("ann")!, calendar: WallClock())

    private func lines(_ message: Message, width: Int = 40, _ look: MessageLook? = nil) -> [String] {
        (look ?? self.look).cell(message, after: nil, on: 0, quoting: nil, width: width).lines.dropFirst().map(\.text)
    }

    @Test func filesStandBelowTheText() {
        let files = [file("cat.png", 12_345), file("dog.png", 3_000_000)]

        #expect(lines(message("look", files)) == ["  look", "  ▤ cat.png  12 kB", "  ▤ dog.png  2.9 MB"])
    }

    @Test func aTextThatOnlyNamesTheFilesIsLeftOut() {
        let files = [file("cat.png", 12_345), file("dog.png", 3_000_000)]

        #expect(lines(message("cat.png, dog.png", files)) == ["  ▤ cat.png  12 kB", "  ▤ dog.png  2.9 MB"])
        #expect(lines(message("cat.png", files)).first == "  cat.png")
        #expect(lines(message("", [])) == ["  "])
    }

    @Test func aReactionStandsBehindTheLastFile() {
        let reactions = [Reaction(emoji: "👍", users: [UserName("ann")!])]

        #expect(lines(message("a", [file("cat.png")], reactions: reactions)).last?.hasSuffix("👍 1") == true)
        #expect(
            lines(message("a", [file("cat.png")], reactions: reactions)).count
                == lines(message("a", [file("cat.png")])).count)
    }

    @Test func anAddressThatWasAskedForStandsBelowItsFile() {
        var look = look
        let cat = file("cat.png")
        let place = FilePlace(message: MessageID(high: 0, low: 1), file: cat.id)
        look.links[place] = "https://chat.example/api/files/" + String(repeating: "x", count: 40)

        let cell = look.cell(message("a", [cat]), after: nil, on: 0, quoting: nil, width: 40)
        let targets = cell.lines.map(targets).filter { !$0.isEmpty }

        #expect(targets == Array(repeating: [look.links[place]!], count: 3))
        #expect(cell.lines.map(\.text).contains("    https://chat.example/api/files/xxxxx"))
    }

    @Test func aFileWithoutAnAddressIsAClickThatAsksForIt() {
        let cell = look.cell(message("a", [file("cat.png")]), after: nil, on: 0, quoting: nil, width: 40)
        let place = FilePlace(message: MessageID(high: 0, low: 1), file: FileID(high: 0, low: 1))

        #expect(cell.lines.map(targets).last == [ClickTarget.file(place).text])
    }

    @Test(arguments: [20, 24, 40, 60, 80, 120, 200])
    func noRowIsWiderThanTheWindow(columns: Int) {
        let names = ["a", "cat.png", String(repeating: "漢", count: 80) + ".png", String(repeating: "long ", count: 50)]
        var look = look
        let files = names.enumerated().map { file($1, 1_048_575, UInt64($0)) }
        for file in files.suffix(2) {
            look.links[FilePlace(message: MessageID(high: 0, low: 1), file: file.id)] =
                "http://127.0.0.1:8080/" + String(repeating: "y", count: 250)
        }
        for width in [columns - 2, columns - 23, 4] where width >= 4 {
            let cell = look.cell(message("hi", files), after: nil, on: 0, quoting: nil, width: width)

            #expect(cell.lines.dropFirst().allSatisfy { $0.width <= max(width, 8) }, "\(cell.lines.map(\.text))")
        }
    }

    @Test func aNameObeysNoTerminal() {
        let text = lines(message("a", [file("cat\u{AD}\u{200B}.png")])).joined()

        #expect(!text.contains("\u{200B}"))
    }
}

extension Double {
    fileprivate func power(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { result, _ in result * self } }
}
