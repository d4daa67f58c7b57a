import JSON
import TestSupport
import Testing

@testable import ChatWire

/// The vectors of what people enter: texts, emojis, titles.
struct EnteredTextTests {
    @Test func textsAreStoredOrRefusedAsTheVectorsSay() throws {
        for example in try ProtocolDocuments.vectors("entered-text") {
            let text = try #require(example["entered"] as? String)

            let stored = try? read(#""type":"edit","command":"\#(id)","text":\#(quoted(text))"#)

            if example["refused"] as? Bool == true {
                #expect(stored == nil, "\(text.unicodeScalars)")
                #expect(!EnteredText(text).text.hasSomethingToSee)
            } else {
                let wanted = try #require(example["stored"] as? String)
                guard case .edit(_, _, _, let edit) = stored, let stored = edit.text else {
                    Issue.record("refused: \(text.unicodeScalars)")
                    continue
                }
                #expect(stored.hasBytes(of: wanted), "\(text.unicodeScalars) became \(stored.unicodeScalars)")
                #expect(EnteredText(text).isReduced == (example["told"] as? Bool ?? false), "\(text.unicodeScalars)")
            }
        }
    }

    @Test(arguments: UInt64(0)..<200)
    func whatIsStoredIsStoredAgainAsItIs(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pieces = [
            "\u{1B}", "[", "]", "0", ";", "m", "\\", "\u{7}", "\u{9B}", "\u{9C}", "\u{9D}", "\r", "\n", "\u{85}",
            "\u{2028}", " ",
            "\0", "é", "P", "\t", "日",
        ]
        let text = (0..<30).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()

        let stored = EnteredText(text)

        #expect(EnteredText(stored.text).text.hasBytes(of: stored.text) && !EnteredText(stored.text).isReduced)
        #expect(stored.text.firstControlCharacter(but: [0x09, 0x0A]) == nil)
    }

    @Test func reactionsAreTakenOrRefusedAsTheVectorsSay() throws {
        var limits = WireLimits()
        limits.shortNames = [":lgtm:", ":+1:"].compactMap { ShortName($0) }
        for example in try ProtocolDocuments.vectors("emojis") {
            let emoji = try #require(example["emoji"] as? String)
            func isTaken(_ isOn: Bool) -> Bool {
                (try? read(#""type":"react","command":"\#(id)","emoji":\#(quoted(emoji)),"on":\#(isOn)"#, limits))
                    != nil
            }

            #expect(isTaken(true) == example["taken"] as? Bool, "\(emoji.unicodeScalars)")
            let isText = !emoji.isEmpty && emoji.firstControlCharacter() == nil
            #expect(isTaken(false) == isText, "an old reaction stays where nobody can take it back: \(emoji)")
        }
    }

    @Test func titlesAndTopicsAreTakenOrRefusedAsTheVectorsSay() throws {
        for example in try ProtocolDocuments.vectors("titles") {
            let title = try #require(example["title"] as? String)
            for action in ["title", "topic"] {
                let frame = #""type":"moderate","command":"\#(id)","action":"\#(action)","text":\#(quoted(title))"#
                let taken = try? read(frame)
                #expect((taken != nil) == example["taken"] as? Bool, "\(title.unicodeScalars)")
            }
            if title.firstControlCharacter() == nil, !title.isEmpty {
                #expect(RoomTitle(known: title) != nil && RoomTopic(known: title) != nil, "a stored one is lost")
            }
        }
    }

    private let id = "9b7d64e0-1c2a-4f58-b3e9-06a5d8f7c214"

    private func read(_ fields: String, _ limits: WireLimits = WireLimits()) throws -> ClientFrame.Request {
        let frame = #"{"ref":7,"room":"lobby","id":"\#(id)",\#(fields)}"#
        return try ClientFrame(json: Array(frame.utf8), limits: limits).request
    }

    private func quoted(_ text: String) -> String {
        var json = JSONWriter()
        json.string(nil, text)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
