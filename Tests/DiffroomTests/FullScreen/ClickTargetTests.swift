import ChatClient
import ChatWire
import Testing

@testable import diffroom

@Suite struct ClickTargetTests {
    private let message = MessageID(high: 7, low: 9)

    @Test func aTargetIsReadAsItIsWritten() throws {
        let rooms = try [
            "lobby", "~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2", "a/thread/5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2",
        ].map { try #require(RoomName($0)) }
        let targets: [ClickTarget] =
            rooms.flatMap { [.room($0), .mention(MyMention.ID(room: $0, message: message))] }
            + [
                .message(message), .thread(message), .reaction(message, emoji: "👩‍💻"), .link("https://a.example/room"),
                .file(FilePlace(message: message, file: FileID(high: 1, low: 2))),
            ]

        for target in targets { #expect(ClickTarget(target.text) == target) }
    }

    @Test(arguments: [nil, "", "room", "room a b c", "message x", "mention lobby x"])
    func otherTextsAreNone(text: String?) {
        if let target = ClickTarget(text) { #expect(target == .link(text ?? "")) }
        #expect(ClickTarget("message x") == nil && ClickTarget(nil) == nil)
    }
}
