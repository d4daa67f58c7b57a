import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

@testable import SQLiteStore

/// `diffroomd check` of a file.
struct CheckTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }

    private func problems() throws -> [String] {
        var problems: [String] = []
        _ = try StoreCheck.check(path) { problems.append($0) }
        return problems
    }

    @Test(arguments: UInt64(0)..<100)
    func afterAnyHistoryOfAllKindsOfRoomsAllIsWell(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try SQLiteStore(path: path)

        try CheckHistory.fill(store, using: &random)

        let found = try problems()
        #expect(found == [])
    }

    @Test(arguments: UInt64(0)..<50)
    func afterAnyHistoryAllIsWell(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try SQLiteStore(path: path)

        for round in 0..<8 as Range<Int64> {
            let batch = UnreadTests.batch(round: Int(round), using: &random).map { $0.later(by: round * Retention.day) }
            _ = try store.commit(batch)
            let rule = Retention.Rule(messages: Int.random(in: 2...9, using: &random))
            let retention = Retention(rule, resumeTime: Int64.random(in: 1...3, using: &random) * Retention.day)
            if Bool.random(using: &random) { try store.trim(retention, at: round * Retention.day + 2_000) }
        }

        #expect(try problems() == [])
    }

    @Test(arguments: [
        (
            "DELETE FROM memberships WHERE user = 'bob'",
            "bob is stored as no member, and is only invited, invited by ann"
        ),
        ("DELETE FROM standings WHERE user = 'bob'", "bob is stored as none, and is write"),
        ("UPDATE standings SET role = 0 WHERE user = 'ann'", "ann is stored as none, and is own"),
        ("UPDATE standings SET banned = 1 WHERE user = 'bob'", "bob is stored as write, banned, and is write"),
        (
            "UPDATE memberships SET silenced = 1 WHERE user = 'bob'",
            "bob is stored as only invited, muted, invited by ann, and is only invited, invited by ann"
        ),
        (
            "UPDATE memberships SET inviter = 'bob' WHERE user = 'ann'",
            "read up to 1, invited by bob, and is a member since"
        ),
        ("UPDATE memberships SET inviter = '' WHERE user = 'bob'", "bob is stored as a membership that cannot be read"),
        (
            "UPDATE memberships SET read = 1 WHERE user = 'bob'",
            "bob is stored as only invited, read up to 1, invited by ann, and is only invited"
        ),
        ("UPDATE rooms SET name = 'open'", "it was created as a room that is private"),
        ("UPDATE rooms SET name = '@00112233445566778899aabbccddeeff'", "it was created as a room that is private"),
        ("UPDATE rooms SET name = '~plans'", "its name is not valid"),
        ("UPDATE rooms SET title = ''", "no sense in column title"),
        ("UPDATE rooms SET topic = ''", "no sense in column topic"),
        ("UPDATE rooms SET picture = 'http://a.example/p.png'", "no sense in column picture"),
        ("UPDATE rooms SET title = 'a' || char(10) || 'b'", "no sense in column title"),
    ])
    func whatContradictsAPrivateRoomIsFound(change: String, problem: String) throws {
        let room = RoomName(privateRoomOf: id(1))
        do {
            let store = try SQLiteStore(path: path)
            _ = try store.commit([.act(1, .create(.private(people: [Someone.bob])), by: Someone.ann, in: room)])
        }
        #expect(try problems() == [])

        try RoomStoreTests.change(path, by: change)

        let found = try problems()
        #expect(found.contains { $0.contains(problem) }, "\(found)")
    }

    @Test(arguments: [
        ("UPDATE messages SET ordinal = ordinal + 1 WHERE sort = 3", "row 3 is number 3, and 2 by the rows"),
        ("UPDATE rooms SET inserted = inserted + 1", "its number of messages ever is 5, and should be 4"),
        ("UPDATE rooms SET activity = 1004 * 512", "its activity is 514048, and should be 514560"),
        ("UPDATE rooms SET activity = -1", "no sense in column activity"),
        ("DELETE FROM deleted", "by the rows and deletions around it"),
        ("INSERT INTO deleted VALUES(1, 3)", "row 3 is kept as deleted"),
        ("DELETE FROM mentions", "row 2 and the table of mentions differ about bob"),
        ("UPDATE mentions SET user = 'ann'", "row 2 and the table of mentions differ about ann"),
        ("UPDATE mentions SET author = 'ann'", "row 2 and the table of mentions differ about bob"),
        ("UPDATE messages SET mentions = '' WHERE sort = 2", "its content is not that of revision 2"),
        ("UPDATE messages SET reply = zeroblob(16) WHERE sort = 2", "its content is not that of revision 2"),
        ("UPDATE messages SET text = replace(text, '@bob', '@eve') WHERE sort = 2", "its content is not that of"),
        ("UPDATE messages SET text = replace(text, '[\"bob', '[\"eve') WHERE sort = 2", "its content is not that of"),
        ("UPDATE messages SET text = substr(text, 1, 9) WHERE sort = 2", "it cannot be read"),
        ("UPDATE memberships SET read = 99", "bob is stored as a member since revision 1, read up to 99, and is"),
        ("UPDATE memberships SET joined = 9", "bob is stored as a member since revision 9, read up to 1, and is"),
        (
            "UPDATE memberships SET marked = 99",
            "bob is stored as a member since revision 1, read up to 1, marked at 99, and is"
        ),
        (
            "UPDATE memberships SET pinned = (1 << 50) + 1",
            "bob is stored as a member since revision 1, read up to 1, pinned at 1125899906842625, and is"
        ),
        ("INSERT INTO standings VALUES(1, 'bob', 0, 0, 1, 0, 0)", "bob is stored as none, banned, and is none"),
    ])
    func whatContradictsItselfIsFound(change: String, problem: String) throws {
        do {
            let store = try SQLiteStore(path: path)
            let calling = RoomAction.send(MessageContent("@bob", mentions: [Someone.bob]))
            _ = try store.commit(
                [
                    .act(1, .join, by: Someone.bob), .act(2, calling, by: Someone.ann), .send(3), .send(4), .send(5),
                    .delete(6, 4),
                ])
            try store.trim(Retention(.everything), at: 8 * Retention.day)
            #expect(try store.memberships(of: Someone.bob).map(\.unread) == [3])
        }
        #expect(try problems() == [])

        try RoomStoreTests.change(path, by: change)

        let found = try problems()
        #expect(found.contains { $0.contains(problem) }, "\(found)")
    }

    @Test(arguments: [
        ("name = char(7)", "profile of bob: ", "no sense in column name"),
        ("name = CAST(x'FF' AS TEXT)", "profile of bob: ", "no sense in column name"),
        ("name = ''", "profile of bob: ", "no sense in column name"),
        ("picture = 'http://chat.example/bob.png'", "profile of bob: ", "no sense in column picture"),
        ("user = 'b' || char(10)", "a profile: ", "its user's name is not valid"),
    ])
    func aProfileThatMakesNoSenseIsNamed(change: String, profile: String, problem: String) throws {
        do {
            let store = try SQLiteStore(path: path)
            let called = Profile(name: DisplayName("Bob"), picture: Picture("https://chat.example/bob.png"))
            _ = try store.write(
                [Someone.ann, Someone.bob].map { ProfileChange(user: $0, profile: called, source: .operator(1)) })
            _ = try store.write([ProfileChange(user: Someone.ann, profile: Profile(), source: .operator(2))])
        }
        #expect(try problems() == [])

        try RoomStoreTests.change(path, by: "UPDATE profiles SET \(change) WHERE user = 'bob'")

        let found = try problems()
        #expect(found.count == 1 && found[0].hasPrefix(profile) && found[0].contains(problem), "\(found)")
    }

    @Test(arguments: [("item = '{}'", "column item"), ("role = 99", "column role"), ("held = -1", "column held")])
    func anItemForLaterThatMakesNoSenseIsNamedAndLeftOut(change: String, problem: String) throws {
        let plan = LaterItem.Plan(.send("hello"), in: lobby, at: 7)
        do {
            let store = try SQLiteStore(path: path)
            _ = try store.write(
                [Someone.ann, Someone.bob].map { LaterChange(user: $0, id: .random(), .put(plan, .write)) }, most: 9)
        }
        #expect(try problems() == [])

        try RoomStoreTests.change(path, by: "UPDATE later SET \(change) WHERE user = 'bob'")

        let found = try problems()
        #expect(found.count == 1 && found[0].hasPrefix("an item in me/later of bob: ") && found[0].contains(problem))
        let store = try SQLiteStore(path: path)
        #expect(try store.later(of: [Someone.ann, Someone.bob]).keys.map(\.self) == [Someone.ann])
        #expect(try store.nextLater(limit: 9).map(\.user) == [Someone.ann])
    }
}
