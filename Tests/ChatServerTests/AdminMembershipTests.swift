import ChatRoom
import ChatServer
import ChatWire
import RoomStore
import TestSupport
import Testing
import Tokens

/// People's memberships, as an operator sees and changes them over HTTP.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct AdminMembershipTests {
    private let desk: AdminDesk
    private let secret = CommandID(high: 7, low: 7)
    private var plans: RoomName { RoomName(privateRoomOf: secret) }

    init() throws {
        desk = try AdminDesk()
    }

    private func operate(_ type: String, _ author: String, in room: RoomName, _ fields: String = "") throws
        -> HTTPAnswer
    {
        let command = CommandID.random()
        return try desk.post(
            "operations",
            #"{"type":"\#(type)","author":"\#(author)","room":"\#(room)","command":"\#(command)"\#(fields)}"#)
    }

    private func create(people: String = "", title: String = "Plans") throws {
        let body =
            #"{"type":"create","author":"ann","kind":"private","command":"\#(secret)","people":[\#(people)],"title":"\#(title)"}"#
        #expect(try desk.post("operations", body).status == 200)
    }

    private func members(of room: RoomName, _ query: String = "") throws -> [String] {
        let text = try desk.get("rooms/\(room)/members\(query)").text
        return text.split(separator: #""user":""#).dropFirst().map { member in
            (member.contains(#""invited":true"#) ? "?" : "") + member.prefix { $0 != "\"" }
        }
    }

    @Test func whoIsPutIntoAnOpenRoomHasItInTheirListAndWhoIsTakenOutNot() async throws {
        let bob = try await RoomsWatcher(desk.server.join(as: "bob"))

        #expect(try operate("join", "bob", in: room).text == #"{"room":"lobby","revision":1}"#)
        try await bob.until { $0.names == ["lobby"] }
        #expect(try operate("join", "bob", in: room).text == #"{"room":"lobby","revision":2}"#, "nothing changes")
        #expect(try members(of: room) == ["bob"])

        #expect(try operate("leave", "bob", in: room).text == #"{"room":"lobby","revision":3}"#)
        try await bob.until { $0.names.isEmpty }
        #expect(try operate("leave", "bob", in: room).text == #"{"room":"lobby","revision":4}"#)
        #expect(try members(of: room) == [])
        #expect(try operate("leave", "bob", in: RoomName("nowhere")!).text == #"{"room":"nowhere","revision":0}"#)
    }

    @Test func aCommandTakesEffectOnce() throws {
        let join =
            #"{"type":"join","author":"bob","room":"lobby","command":"9b7d64e0-1c2a-4f58-b3e9-06a5d8f7c214"}"#
        #expect(try desk.post("operations", join).text == #"{"room":"lobby","revision":1}"#)
        #expect(try operate("leave", "bob", in: room).status == 200)

        #expect(try desk.post("operations", join).text == #"{"room":"lobby","revision":1}"#)
        #expect(try members(of: room) == [])
        #expect(try desk.post("operations", join.replacing("bob", with: "cid")).status == 409)
    }

    @Test func whoIsInvitedIsMadeAMemberOfAPrivateRoomAndOthersAreNot() async throws {
        let bob = try await RoomsWatcher(desk.server.join(as: "bob"))
        try create()
        let refusal = try operate("join", "bob", in: plans)
        #expect(refusal.status == 400 && refusal.text.contains("bob is not invited"), "\(refusal.text)")

        #expect(try operate("moderate", "desk", in: plans, #","action":"invite","user":"bob""#).status == 200)
        #expect(try members(of: plans) == ["ann", "?bob"])
        try await bob.until { $0[plans.description]?.light.inviter == UserName("desk") }
        let invitations = [try desk.get("rooms/\(plans)/members").text, try desk.get("memberships?user=bob").text]
        #expect(invitations.allSatisfy { $0.contains(#""invited":true,"by":"desk","since":"#) }, "\(invitations)")
        #expect(try operate("join", "bob", in: plans).status == 200)

        #expect(try members(of: plans) == ["ann", "bob"])
        #expect(try !desk.get("rooms/\(plans)/members").text.contains(#""by""#))
        try await bob.until { $0[plans.description]?.section == .rooms }
        #expect(try operate("leave", "bob", in: plans).status == 200)
        try await bob.until { $0.names.isEmpty }
        let audit = try desk.get("rooms/\(plans)/audit").text
        #expect(audit.contains(#""author":"desk","action":"invite","user":"bob""#), "\(audit)")
    }

    @Test func nobodyIsPutIntoADirectRoomOrOneThatIsNotThereOrThatTheyAreBannedFrom() throws {
        #expect(try operate("join", "bob", in: plans).status == 404)
        #expect(try operate("leave", "bob", in: plans).status == 404)
        let direct = #"{"type":"create","author":"ann","kind":"direct","command":"\#(secret)","people":["bob"]}"#
        #expect(try desk.post("operations", direct).status == 200)
        let pair = RoomName(directRoomOf: ["ann", "bob"].compactMap { UserName($0) })

        for type in ["join", "leave"] { #expect(try operate(type, "cid", in: pair).status == 400) }
        #expect(try operate("moderate", "desk", in: room, #","action":"ban","user":"bob""#).status == 200)
        let refusal = try operate("join", "bob", in: room)
        #expect(refusal.status == 400 && refusal.text.contains("unbanned first"), "\(refusal.text)")
    }

    @Test func aPersonsRoomsAreListedWithWhatIsUnread() async throws {
        try create(people: #""a b""#)
        let body = #"{"type":"create","author":"a b","kind":"direct","command":"\#(secret)","people":["é"]}"#
        #expect(try desk.post("operations", body).status == 200)
        #expect(try operate("join", "a b", in: room).status == 200)
        let ann = try await desk.server.join(as: "ann")
        let send = ClientFrame.Request.send(
            room: room, id: .random(), MessageContent("hi", mentions: [UserName("a b")!]))
        _ = try await ann.answer(to: send)

        let text = try desk.get("memberships?user=a%20b").text

        #expect(text.hasPrefix(#"{"user":"a b","rooms":[{"room":"@"#), "\(text)")
        #expect(text.contains(#""kind":"direct","people":["é"],"invited":false,"since":"#), "\(text)")
        #expect(text.contains(#"{"room":"lobby","kind":"open","invited":false,"since":"#), "\(text)")
        #expect(text.contains(#","read":1,"unread":1,"mentions":1,"section":"rooms"}"#), "\(text)")
        #expect(
            text.contains(#"{"room":"\#(plans)","kind":"private","title":"Plans","invited":true,"by":"ann","since":"#),
            "\(text)")
        #expect(try desk.get("memberships?user=nobody").text == #"{"user":"nobody","rooms":[]}"#)
    }

    @Test func whatPeopleHaveSetForThemselvesIsListed() async throws {
        let ann = try await RoomsWatcher(desk.server.join(as: "ann"))
        try create(people: #""bob""#)
        _ = try await ann.answer(to: .join(room))
        let changes: [(SettingsChange, String)] = [
            (SettingsChange(pinned: .at(7)), #""section":"pinned"}"#),
            (SettingsChange(isMuted: true, isMarked: true), #""section":"pinned","muted":true,"marked":true}"#),
            (SettingsChange(isArchived: true), #""section":"archived","muted":true,"marked":true}"#),
            (SettingsChange(pinned: .off, isMuted: false, isArchived: false, isMarked: false), #""section":"rooms"}"#),
        ]
        for (change, expected) in changes {
            #expect(try await ann.answer(to: .settings(room, change)).errorCode == nil)

            for path in ["memberships?user=ann", "rooms/lobby/members"] {
                let text = try desk.get(path).text
                #expect(text.contains(expected), "\(text)")
            }
        }
        _ = try await ann.answer(to: .settings(room, SettingsChange(isMarked: true)))
        #expect(try desk.get("memberships?user=ann").text.contains(#""marked":true"#))
        try await ann.until { $0["lobby"]?.light.isMarked == true }
        _ = try await ann.answer(to: .read(room, nil))
        try await ann.until { $0["lobby"]?.light.isMarked == false }
        #expect(try !desk.get("memberships?user=ann").text.contains(#""marked":true"#))
        #expect(try desk.get("memberships?user=bob").text.contains(#""section":"invited"}"#))
    }

    @Test func theMembersOfARoomAreListedInPages() throws {
        for name in ["bob", "Zoë", "ann", "a b"] { #expect(try operate("join", name, in: room).status == 200) }

        #expect(try members(of: room, "?limit=3") == ["Zoë", "a b", "ann"])
        #expect(try desk.get("rooms/lobby/members?limit=3").text.hasSuffix(#""more":true}"#))
        #expect(try members(of: room, "?after=Zo%C3%AB&limit=2") == ["a b", "ann"])
        #expect(try members(of: room, "?after=ann") == ["bob"])
        #expect(try desk.get("rooms/lobby/members?after=ann").text.hasSuffix(#""more":false}"#))
        #expect(try desk.get("rooms/nowhere/members").text == #"{"room":"nowhere","members":[],"more":false}"#)
    }

    @Test(arguments: [
        ("memberships", "user is missing"), ("memberships?user=", "user must be"),
        ("memberships?user=%ff", "user must be"),
        ("memberships?user=a%00b", ""), ("memberships?name=ann", "no parameter"),
        ("rooms/lobby/members?limit=0", "1 to 1000"),
        ("rooms/lobby/members?after=", "after must be"),
    ])
    func whatIsWrongIsNamed(path: String, hint: String) throws {
        let answer = try desk.get(path)

        #expect(answer.status == 400 && answer.text.contains(hint), "\(answer.text)")
    }

    @Test(arguments: [
        (#"{"type":"join","author":"bob","room":"lobby"}"#, "command"),
        (#"{"type":"leave","room":"lobby","command":"9b7d64e0-1c2a-4f58-b3e9-06a5d8f7c214"}"#, "author"),
        (#"{"type":"join","author":"bob","command":"9b7d64e0-1c2a-4f58-b3e9-06a5d8f7c214"}"#, "room"),
        (#"{"type":"read","author":"bob","room":"lobby"}"#, "join, leave"),
    ])
    func anOrderThatLacksSomethingIsRefused(body: String, hint: String) throws {
        let answer = try desk.post("operations", body)

        #expect(answer.status == 400 && answer.text.contains(hint), "\(answer.text)")
    }
}
