import Testing

@testable import ChatWire

struct MessageContentTests {
    private static let id = UniqueID.random()

    @Test(arguments: [
        ("hello", "hello"), ("{\"text\":\"hello\"}", "{\"text\":\"hello\"}"), ("", ""),
        ("\u{1}{", "\u{1}{\"text\":\"\\u0001{\"}"), ("\u{1}a", "\u{1}{\"text\":\"\\u0001a\"}"),
    ])
    func aTextAloneIsStoredAsItIs(text: String, stored: String) {
        #expect(MessageContent(text).stored == stored)
        #expect(MessageContent(stored: stored) == MessageContent(text))
    }

    @Test func moreThanATextIsStoredAsAnObject() {
        let answer = MessageContent("\"yes\"", replyTo: Self.id, mentions: [UserName("bob")!])

        #expect(
            answer.stored
                == "\u{1}{\"text\":\"\\\"yes\\\"\",\"replyTo\":\"\(Self.id)\",\"mentions\":[\"bob\"]}")
    }

    @Test(arguments: UInt64(0)..<200)
    func anyContentIsReadAsItWasStored(seed: UInt64) {
        var frames = RandomFrames(seed: seed)
        for _ in 0..<20 {
            let content = frames.content()
            #expect(MessageContent(stored: content.stored)?.isSame(as: content) == true)
        }
    }

    @Test(arguments: ["\u{1}{", "\u{1}{}", "\u{1}{\"text\":1}", "\u{1}{\"text\":\"a\"}b"])
    func aDamagedOneIsNone(stored: String) {
        #expect(MessageContent(stored: stored) == nil)
    }

    private static let poll = AppData(#"{ "kind": "poll" }"#)!

    @Test(arguments: [
        (ContentEdit("no"), MessageContent("no", replyTo: id, data: poll)),
        (ContentEdit(), MessageContent("@bob yes", replyTo: id, mentions: [UserName("bob")!], data: poll)),
        (ContentEdit(data: .empty), MessageContent("@bob yes", replyTo: id, mentions: [UserName("bob")!])),
        (ContentEdit("no", data: AppData(#"{"a":1}"#)), MessageContent("no", replyTo: id, data: AppData(#"{"a":1}"#)!)),
    ])
    func anEditKeepsWhatItLeavesOut(edit: ContentEdit, result: MessageContent) {
        let content = MessageContent("@bob yes", replyTo: Self.id, mentions: [UserName("bob")!], data: Self.poll)

        #expect(content.edited(by: edit) == result)
    }

    @Test(arguments: [
        ("{}", "{}"), (" { } ", "{}"), (#" {"b": 1,"a":"\u00e9"} "#, #"{"b": 1,"a":"\u00e9"}"#),
        (#"{"a":[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]}"#, #"{"a":[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]}"#),
    ])
    func dataIsKeptByteForByte(json: String, kept: String) throws {
        #expect(try #require(AppData(json)).description == kept)
    }

    @Test(arguments: [
        "", "[]", "1", "{} {}", "{'a':1}", #"{"a":1,"a":2}"#, #"{"a":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}"#,
    ])
    func whatIsNoDataIsRefused(json: String) {
        #expect(AppData(json) == nil)
    }

    @Test func dataTellsItsKind() {
        #expect(Self.poll.kind == "poll" && AppData(#"{"kind":1}"#)?.kind == nil && AppData.empty.kind == nil)
    }

    @Test func textsAreTheSameByTheirBytes() {
        #expect(MessageContent("\u{E9}") == MessageContent("e\u{301}"))
        #expect(!MessageContent("\u{E9}").isSame(as: "e\u{301}"))
    }
}
