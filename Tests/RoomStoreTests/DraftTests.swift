import ChatRoom
import ChatWire
import PostgresStore
import RoomStore
import TestSupport
import Testing

/// What people have written and not sent, in every store.
struct DraftTests {
    private let folder = TemporaryFolder()
    private static let people = [Someone.ann, Someone.bob, UserName("Åse 日本")!]
    private static let rooms = ["lobby", "den", "~0b6f6c1e-56a3-4f0f-9d0d-3d3e7b5a4c21"].map { RoomName($0)! }
    private static let contents: [MessageContent?] = [
        nil, "hello", MessageContent("@bob yes", replyTo: .random(), mentions: [Someone.bob]),
        MessageContent("a poll", data: AppData(#"{"kind":"poll"}"#)), "\u{1}{", "a\n\tb",
    ]

    @Test(arguments: StoreUnderTest.histories(60))
    func theLastDraftOfEachRoomIsStored(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder)
        var model: [UserName: [RoomName: StoredDraft]] = [:]

        for step in 0..<12 {
            let changes = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                DraftChange(
                    user: Self.people.randomElement(using: &random)!, room: Self.rooms.randomElement(using: &random)!,
                    content: Self.contents.randomElement(using: &random)!, time: Milliseconds(step))
            }
            for change in changes {
                model[change.user, default: [:]][change.room] = change.content.map {
                    StoredDraft(room: change.room, content: $0, time: change.time)
                }
            }
            try store.write(changes, keeping: 3)

            let stored = try store.drafts(of: Self.people).mapValues { drafts in
                Dictionary(uniqueKeysWithValues: drafts.map { ($0.room, $0) })
            }
            #expect(stored == model.filter { !$0.value.isEmpty })
            #expect(try store.drafts(of: [Self.people[0]]).keys.allSatisfy { $0 == Self.people[0] })
        }
        #expect(try store.drafts(of: []) == [:])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func ofTooManyDraftsTheOldestGo(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        func write(_ room: RoomName, _ time: Milliseconds) throws {
            try store.write([DraftChange(user: Someone.ann, room: room, content: "x", time: time)], keeping: 2)
        }
        try store.write([DraftChange(user: Someone.bob, room: Self.rooms[0], content: "x", time: 0)], keeping: 2)

        try write(Self.rooms[0], 5)
        try write(Self.rooms[1], 4)
        try write(Self.rooms[2], 6)

        let drafts = try store.drafts(of: [Someone.ann, Someone.bob])
        #expect(Set(drafts[Someone.ann]?.map(\.room) ?? []) == [Self.rooms[0], Self.rooms[2]])
        #expect(drafts[Someone.bob]?.count == 1)
    }

    @Test func draftsOutliveTheProcess() throws {
        let change = DraftChange(user: Someone.ann, room: Self.rooms[0], content: "hello", time: 7)
        try StoreUnderTest.sqlite.make(in: folder).write([change], keeping: 9)

        let stored = try StoreUnderTest.sqlite.make(in: folder).drafts(of: Self.people)

        #expect(stored == [Someone.ann: [StoredDraft(room: Self.rooms[0], content: "hello", time: 7)]])
    }

    /// A draft goes to the place of its person, and comes back from there.
    @Test func twoServersWriteOnePersonsDrafts() throws {
        let address = try PostgresAddress.unused()
        let (first, second) = (try PostgresStore(address), try PostgresStore(address))
        func write(_ content: MessageContent, _ room: Int, to store: PostgresStore) throws {
            try store.write(
                [DraftChange(user: Someone.ann, room: Self.rooms[room], content: content, time: 1)], keeping: 9)
        }

        try write("a", 0, to: first)
        try write("b", 0, to: second)
        try write("c", 1, to: second)

        let drafts = try first.drafts(of: [Someone.ann])[Someone.ann] ?? []
        #expect(Set(drafts.map(\.content.text)) == ["b", "c"])
    }
}
