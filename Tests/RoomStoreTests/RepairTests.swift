import ChatRoom
import ChatWire
import RoomStore
import StoreEngine
import TestSupport
import Testing

@testable import SQLiteStore

/// `diffroomd check --repair` of a file.
struct RepairTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("rooms.db") }

    private func problems() throws -> [String] {
        var problems: [String] = []
        _ = try StoreCheck.check(path) { problems.append($0) }
        return problems
    }

    private func repair() throws -> (report: RepairReport, lines: [String]) {
        var lines: [String] = []
        let report = try StoreCheck.repair(path) { lines.append($0) }
        return (report, lines)
    }

    /// Makes a file with a history that nothing was forgotten of.
    private func fill(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try SQLiteStore(path: path)
        _ = try store.commit(CheckHistory.creation)
        for round in 0..<6 { _ = try store.commit(inOrder: CheckHistory.day(round, using: &random)) }
    }

    /// Everything that operations decide, as text.
    private func derived(_ tables: [String: String] = Self.derivedTables) throws -> [String] {
        let connection = try Connection.open(path)
        return try tables.sorted { $0.key < $1.key }.flatMap { table, columns in
            let fields = columns.split(separator: " ").map { "quote(CAST(\($0) AS BLOB))" }.joined(
                separator: " || ' ' || ")
            let those = Self.over[table].map { " WHERE NOT (\($0))" } ?? ""
            return try Statement("SELECT '\(table) ' || \(fields) FROM \(table)\(those) ORDER BY 1", on: connection)
                .all { (row) throws(RoomStoreError) in try row.text(0) }
        }
    }

    /// A read mark is in no operation. Rooms without an operation, and without a row that counts, have a row all the same.
    private static let derivedTables = [
        "rooms": "name revision count inserted slow read_only title topic picture activity",
        "messages": "room sort id changed reloaded author time text edited reply reactions ordinal mentions",
        "tombstones": "room changed id sort", "commands": "room command revision",
        "standings": "room user role muted banned kicked", "last_sends": "room user time",
        "memberships": "room user joined time pinned silenced archived marked inviter",
        "mentions": "room user sort author", "pins": "room entries",
    ]

    /// Rows on which nothing depends any more, which may be there or not.
    private static let over = [
        "standings": "role = 0 AND banned = 0 AND muted <= (SELECT latest FROM store)",
        "last_sends": "time + (SELECT slow FROM rooms WHERE id = room) <= (SELECT latest FROM store)",
    ]

    /// Damages one value of each table, also by removing a row and by adding one.
    static let damages = [
        "UPDATE rooms SET count = count + 1", "UPDATE rooms SET inserted = inserted + 3",
        "UPDATE rooms SET slow = 7 - slow", "UPDATE rooms SET read_only = 1 - read_only",
        "UPDATE rooms SET title = 'another'", "UPDATE rooms SET topic = CASE WHEN topic IS NULL THEN 'x' END",
        "UPDATE rooms SET picture = 'https://a.example/q.png'", "UPDATE rooms SET activity = 77",
        "UPDATE rooms SET title = char(7)", "DELETE FROM pins WHERE $any", "UPDATE pins SET entries = x'07'",
        "UPDATE pins SET entries = zeroblob(32)", "UPDATE rooms SET is_ruled = 0",
        "UPDATE rooms SET revision = revision - 1",
        "DELETE FROM messages WHERE $any", "UPDATE messages SET text = text || '!' WHERE $any",
        "UPDATE messages SET text = CAST(x'FF' AS TEXT) WHERE $any", "UPDATE messages SET author = 'eve' WHERE $any",
        "UPDATE messages SET time = time + 1 WHERE $any",
        "UPDATE messages SET id = x'00112233445566778899AABBCCDDEEFF' WHERE $any",
        "UPDATE messages SET changed = changed + 1 WHERE $any", "UPDATE messages SET reloaded = 0 WHERE $any",
        "UPDATE messages SET edited = CASE WHEN edited IS NULL THEN 5 END WHERE $any",
        "UPDATE messages SET reactions = CASE WHEN reactions IS NULL THEN x'04F09F918D0103626F62' END WHERE $any",
        "UPDATE messages SET mentions = CASE WHEN mentions IS NULL THEN 'eve' END WHERE $any",
        "UPDATE messages SET reply = x'00112233445566778899AABBCCDDEEFF' WHERE $any",
        "UPDATE messages SET ordinal = ordinal + 5 WHERE $any",
        "DELETE FROM tombstones WHERE $any",
        "UPDATE tombstones SET id = x'00112233445566778899AABBCCDDEEFF' WHERE $any",
        "UPDATE tombstones SET sort = 1000 WHERE $any",
        "INSERT INTO tombstones VALUES(1, 1, x'00112233445566778899AABBCCDDEEFF', 1, 0)",
        "INSERT INTO deleted VALUES(1, 1)", "INSERT INTO deleted VALUES(2, 3)",
        "DELETE FROM commands WHERE $any", "UPDATE commands SET revision = revision + 1 WHERE $any",
        "INSERT INTO commands VALUES(1, x'00112233445566778899AABBCCDDEEFF', 1)",
        "DELETE FROM standings WHERE $any", "UPDATE standings SET role = 4 - role WHERE $any",
        "UPDATE standings SET muted = muted + 1 WHERE $any", "UPDATE standings SET banned = 1 - banned WHERE $any",
        "UPDATE standings SET kicked = kicked + 1 WHERE $any", "UPDATE standings SET role = 99 WHERE $any",
        "INSERT INTO standings VALUES(1, 'eve', 4, 0, 0, 0, 0)",
        "DELETE FROM memberships WHERE $any", "UPDATE memberships SET joined = joined + 1 WHERE $any",
        "UPDATE memberships SET time = time + 1 WHERE $any", "UPDATE memberships SET pinned = pinned + 1 WHERE $any",
        "UPDATE memberships SET silenced = 1 - silenced WHERE $any",
        "UPDATE memberships SET archived = 1 - archived WHERE $any",
        "UPDATE memberships SET marked = marked + 1 WHERE $any", "UPDATE memberships SET inviter = 'eve' WHERE $any",
        "UPDATE memberships SET read = 1 << 40 WHERE $any",
        "INSERT INTO memberships VALUES(1, 'eve', 1, 1, 1, 0, 0, 0, 0, NULL, 0)",
        "DELETE FROM mentions WHERE $any", "UPDATE mentions SET user = 'eve' WHERE $any",
        "UPDATE mentions SET author = 'eve' WHERE $any",
        "INSERT INTO mentions VALUES(1, 'eve', 1, NULL)",
        "INSERT INTO last_sends VALUES(2, 'eve', 5)", "DELETE FROM last_sends WHERE $any",
        "UPDATE last_sends SET time = time + 1 WHERE $any",
    ]

    @Test(arguments: damages)
    func oneDamageToADerivedTableIsFoundAndPutRight(damage: String) throws {
        let table = damage.split(separator: " ").first { Self.derivedTables[String($0)] != nil || $0 == "deleted" }!
        for seed in 0..<4 as Range<UInt64> {
            let folder = TemporaryFolder()
            let test = RepairTests(folder: folder)
            try test.fill(seed: seed)
            #expect(try test.problems() == [])
            let before = try test.derived()
            let connection = try Connection.open(test.path)
            let count = try connection.number("SELECT count(*) FROM \(table)")
            let key = Self.keys[String(table)]!
            let place = "(\(key)) = (SELECT \(key) FROM \(table) ORDER BY \(key) LIMIT 1 OFFSET \(count / 2))"
            let change = damage.replacing("$any", with: place)
            // A fault of this program leaves right checksums, one of a disk does not.
            if seed % 2 == 0 {
                try RoomStoreTests.change(test.path, by: change)
            } else {
                try connection.execute(change)
            }
            let isDamaged = try test.derived() != before || ["deleted", "memberships", "rooms"].contains(table)
            guard isDamaged else { continue }  // there was no such row

            let found = try test.problems()
            let repaired = try test.repair()

            #expect(!found.isEmpty || count == 0, "nothing is found")
            #expect(repaired.report.remaining == 0, "\(repaired.lines)")
            #expect(try test.problems() == [])
            #expect(try test.derived() == before, "\(repaired.lines)")
        }
    }

    private static let keys = [
        "rooms": "id", "messages": "room, sort", "tombstones": "room, changed", "commands": "room, command",
        "standings": "room, user", "last_sends": "room, user", "memberships": "room, user",
        "mentions": "room, user, sort", "deleted": "room, sort", "pins": "room",
    ]

    private init(folder: TemporaryFolder) { self.folder = folder }

    init() { folder = TemporaryFolder() }

    // MARK: - The fault of before

    private static let bob = Someone.bob

    /// A mute, unmute or kick of a member once made of a membership what an invitation or a join makes.
    private static func hurt(_ room: RoomName, at revision: Revision) -> String {
        room.kind == .private
            ? """
            INSERT OR REPLACE INTO memberships(room, user, joined, time, read, inviter)
            SELECT room, subject, 0, time, 0, author FROM operations WHERE revision = \(revision) AND room = 1
            """
            : """
            INSERT OR REPLACE INTO memberships(room, user, joined, time, read)
            SELECT room, subject, revision, time, revision FROM operations WHERE revision = \(revision) AND room = 1
            """
    }

    private func makeHurt(
        _ room: RoomName, by moderation: Moderation, then: [BatchEntry] = []
    ) throws {
        let store = try SQLiteStore(path: path)
        let people = [Self.bob]
        let creation: RoomAction = .create(room.kind == .private ? .private(people: people) : .direct(people: people))
        _ = try store.commit([.act(1, creation, by: Someone.ann, in: room)])
        if room.kind == .private { _ = try store.commit([.act(2, .join, by: Self.bob, in: room)]) }
        _ = try store.commit([
            .act(3, .send("one"), by: Someone.ann, in: room),
            .act(4, .settings(SettingsChange(pinned: .at(7), isMuted: true)), by: Self.bob, in: room),
            .act(5, .send("two"), by: Self.bob, in: room),
            .act(6, .send("three"), by: Someone.ann, in: room),
        ])
        let outcomes = try store.commit([.act(7, .moderate(moderation), by: Someone.ann, in: room).byService])
        let revision = try #require(outcomes[0].revision)
        try change(path, by: Self.hurt(room, at: revision))
        _ = try store.commit(inOrder: then)
    }

    @Test(
        arguments: [CheckHistory.secret, CheckHistory.pair], [Moderation.mute(bob, for: 9), .unmute(bob), .kick(bob)])
    func aMembershipThatAModerationRewroteIsPutRight(room: RoomName, moderation: Moderation) throws {
        if case .unmute = moderation { return }  // of somebody who is not muted, it changes nothing
        try makeHurt(room, by: moderation)

        let found = try problems()
        let repaired = try repair()

        #expect(found.count == 1 && found[0].contains("bob is stored as"), "\(found)")
        #expect(found[0].contains("had changed the membership)"), "\(found)")
        #expect((repaired.report.repaired, repaired.report.remaining) == (1, 0), "\(repaired.lines)")
        #expect(repaired.lines[0].contains("no operation has the read mark"), "\(repaired.lines)")
        #expect(try problems() == [])
        let membership = try #require(
            try SQLiteStore(path: path).memberships(of: [Self.bob], in: room)[Self.bob])
        let isPrivate = room.kind == .private
        #expect((membership.kind, membership.joined, membership.inviter) == (.member, isPrivate ? 2 : 1, nil))
        #expect(membership.settings == RoomSettings(pinned: 7, isMuted: true))
        #expect(membership.read == (isPrivate ? 5 : 3 + 1) && membership.unread == 1)
    }

    @Test func whoHasReadSinceKeepsTheirMark() throws {
        let room = CheckHistory.pair
        try makeHurt(
            room, by: .mute(Self.bob, for: 9),
            then: [
                .operation(.act(8, .send("four"), by: Someone.ann, in: room)),
                .mark(ReadMark(room: room, user: Self.bob, revision: 7)),
            ])

        let repaired = try repair()

        #expect(repaired.lines.first?.contains("the read mark stays at 7") ?? false, "\(repaired.lines)")
        #expect(try SQLiteStore(path: path).memberships(of: Self.bob).map { [$0.joined, $0.read] } == [[1, 7]])
    }

    @Test func whoAcceptedTheInvitationOfTheFaultIsAMemberSinceThen() throws {
        let join = RoomOperation.act(8, .join, by: Self.bob, in: CheckHistory.secret)
        try makeHurt(CheckHistory.secret, by: .kick(Self.bob), then: [.operation(join)])

        #expect(try problems() == [])
    }

    // MARK: - A join of a member

    /// Commits a join, a message, and a join that changes nothing.
    private func joinTwice(secondAfter pause: Milliseconds = 0) throws -> SQLiteStore {
        let store = try SQLiteStore(path: path)
        let again = RoomOperation.act(4, .join, by: Self.bob).later(by: pause)
        let outcomes = try store.commit([.act(1, .join, by: Self.bob), .send(2), .send(3), again])
        try #require(outcomes.last == .committed(4, .nothing))
        return store
    }

    private func joins() throws -> [[Revision]] {
        try SQLiteStore(path: path).memberships(of: Self.bob).map { [$0.joined, $0.read] }
    }

    /// Only the stored operation tells such a join from one that begins a membership.
    @Test(arguments: [
        "UPDATE memberships SET joined = 4, read = 4", "UPDATE memberships SET joined = 4", "DELETE FROM memberships",
    ])
    func aMemberWhoJoinedAgainIsAMemberSinceTheFirstJoin(damage: String) throws {
        do { _ = try joinTwice() }
        #expect(try problems() == [])
        try change(path, by: damage)

        let found = try problems()
        let repaired = try repair()

        #expect(found.count == 1, "\(found)")
        #expect((repaired.report.repaired, repaired.report.remaining) == (1, 0), "\(repaired.lines)")
        #expect(try joins().map(\.first) == [1])
        #expect(try problems() == [])
    }

    @Test func aSecondJoinShowsThatThereWasAFirstOneWhichIsForgotten() throws {
        do { try joinTwice(secondAfter: 9 * Retention.day).trim(Retention(.everything), at: 9 * Retention.day + 2_000) }
        #expect(try joins() == [[1, 1]])
        #expect(try problems() == [])
        try change(path, by: "DELETE FROM memberships")

        let found = try problems()
        let repaired = try repair()

        #expect(found.count == 1, "\(found)")
        #expect(repaired.report.remaining == 0, "\(repaired.lines)")
        #expect(try joins().map(\.first) == [1])
    }

    @Test func aFileThatIsServedIsNotRepaired() throws {
        let store = try SQLiteStore(path: path)

        let error = #expect(throws: RoomStoreError.self) { try StoreCheck.repair(path) { _ in } }

        #expect(error?.isInUse ?? false)
        _ = try store.commit([.send(1)])
    }

    @Test(arguments: [true, false])
    func clientsStartOverAfterTheRepairOfARowThatTheyHold(isRow: Bool) throws {
        try fill(seed: 1)
        let epoch = try SQLiteStore(path: path).epoch
        let damage = isRow ? "UPDATE messages SET text = 'another'" : "UPDATE rooms SET count = 99"
        try change(path, by: damage)

        _ = try repair()

        #expect(try (SQLiteStore(path: path).epoch != epoch) == isRow)
        #expect(try problems() == [])
    }

    @Test func whatNoOperationDecidesRemainsAndIsSaid() throws {
        try fill(seed: 1)
        try Connection.open(path).execute("DELETE FROM operations WHERE room = 1 AND revision = 1")

        let found = try problems()
        let repaired = try repair()

        #expect(found.contains { $0.contains("operation 1 is missing") }, "\(found)")
        #expect(repaired.report.remaining > 0)
        #expect(repaired.lines.contains { $0.contains("the operations do not say what is right") })
    }

    /// After a damage to a trimmed file, a repair leaves nothing that a check finds, or says so.
    @Test(arguments: UInt64(0)..<20)
    func afterRetentionARepairEndsWhatItFinds(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        do { try CheckHistory.fill(try SQLiteStore(path: path), using: &random) }
        for table in ["memberships", "standings", "mentions", "last_sends"] {
            try Connection.open(path).execute("DELETE FROM \(table)")
        }
        try change(path, by: "UPDATE messages SET reactions = NULL, changed = sort")

        let repaired = try repair()

        #expect(repaired.report.remaining == 0, "\(repaired.lines)")
        let rest = try problems()
        #expect(rest == [])
    }
}

extension RoomOperation {
    fileprivate var byService: RoomOperation {
        var operation = operation
        operation.requester = .service
        return RoomOperation(room: room, operation: operation)
    }
}
