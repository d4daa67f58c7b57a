import ChatWire
import TestSupport
import Testing

/// The admin API refuses what it does not know.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct AdminFieldTests {
    private static let start = #""room":"lobby","author":"bot","command":"9b7d64e0-1c2a-4f58-b3e9-06a5d8f7c214""#
    private static let id = #""id":"5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2""#

    /// Complete bodies, and the fields that are told beside an unknown one.
    static let bodies: [(path: String, body: String, known: String)] = [
        (
            "operations", #""type":"send","room":"lobby","author":"bot","text":"x",\#(id)"#,
            "type, author, room, id, text, replyTo, mentions, everyone, data, files, open, away"
        ),
        (
            "operations", #""type":"edit","text":"x",\#(start),\#(id)"#,
            "type, author, room, command, id, text, mentions, everyone, data"
        ),
        ("operations", #""type":"delete",\#(start),\#(id)"#, "type, author, room, command, id"),
        (
            "operations", #""type":"react","emoji":"👍","on":true,\#(start),\#(id)"#,
            "type, author, room, command, id, emoji, on"
        ),
        (
            "operations", #""type":"moderate","action":"mute","user":"eve","for":1000,\#(start)"#,
            "type, author, room, command, action, user, for"
        ),
        (
            "operations", #""type":"moderate","action":"title","text":"T",\#(start)"#,
            "type, author, room, command, action, text"
        ),
        (
            "operations",
            #""type":"moderate","action":"pin","message":"9b7d64e0-1c2a-4f58-b3e9-06a5d8f7c214",\#(start)"#,
            "type, author, room, command, action, message, before, after"
        ),
        (
            "operations",
            #""type":"moderate","action":"unpin","message":"9b7d64e0-1c2a-4f58-b3e9-06a5d8f7c214",\#(start)"#,
            "type, author, room, command, action, message"
        ),
        (
            "operations",
            #""type":"create","kind":"open","room":"new","author":"ann","command":"9b7d64e0-1c2a-4f58-b3e9-06a5d8f7c214""#,
            "type, author, command, kind, room, people, title"
        ),
        (
            "operations",
            #""type":"create","kind":"private","author":"ann","command":"9b7d64e0-1c2a-4f58-b3e9-06a5d8f7c215""#,
            "type, author, command, kind, people, title"
        ),
        ("operations", #""type":"join",\#(start)"#, "type, author, room, command"),
        ("connections/close", #""user":"nobody""#, "connection, user, reason, comesBack"),
        ("profile", #""user":"ann","name":"Ann","picture":"""#, "user, name, picture"),
        ("backup", #""name":"monday""#, "name"),
    ]

    @Test(arguments: bodies.indices, ["titel", "time", "date", "ref", "Text"])
    func anUnknownFieldIsNamedWithTheKnownOnes(index: Int, unknown: String) throws {
        let desk = try AdminDesk()
        let (path, body, known) = Self.bodies[index]

        let answer = try desk.post(path, "{\(body),\"\(unknown)\":1}")

        #expect(answer.status == 400)
        #expect(answer.text.contains("\(unknown): there is no such field here: there are \(known)\""), "\(answer.text)")
        #expect(try desk.get("rooms").text == #"{"rooms":[],"more":false}"#, "nothing was done")
    }

    @Test(arguments: [
        "operations?dry=1", "connections/close?user=ann", "profile?user=ann", "drain?now", "backup?name=x",
    ])
    func anUnknownParameterOfAPostIsRefused(path: String) throws {
        let desk = try AdminDesk()

        let answer = try desk.post(path, #"{"user":"ann","name":"Ann","picture":""}"#)

        #expect(answer.status == 400)
        #expect(answer.text.contains("there is no parameter"), "\(answer.text)")
        #expect(desk.drains.count == 0)
    }
}
