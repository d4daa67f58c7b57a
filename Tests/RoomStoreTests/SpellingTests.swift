import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

/// A room from the time when two spellings of one name could enter. They are two people, to every store.
struct SpellingTests {
    private static let names = ["Jos\u{E9}", "Jose\u{301}"].map { UserName(known: $0)! }
    private let folder = TemporaryFolder()

    @Test(arguments: StoreUnderTest.allCases)
    func bothAreServed(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let moderations: [Moderation] = Self.names.flatMap { [.mute($0, for: 1_000_000), .appoint($0, .read)] }
        let batch = moderations.enumerated().map { number, moderation in
            RoomOperation.act(UInt64(number) + 1, .moderate(moderation), by: Someone.ann, as: .own)
        }

        let outcomes = try store.commit(batch)
        let reading = try store.soundReading(of: lobby, tail: 9, since: 0, atMost: 9)

        #expect(outcomes.map(\.revision) == [1, 2, 3, 4])
        #expect(reading.rules.standings.count == 2)
        #expect(Self.names.allSatisfy { reading.rules.standing(of: $0).role == .read })
        let audit = try store.audit(lobby, before: .max, limit: 9)
        #expect(audit.entries.map(\.deed) == moderations.map { .moderated($0) })
    }

    /// Each is judged by their own standing, also within one batch.
    @Test(arguments: StoreUnderTest.allCases)
    func whatIsDoneToOneIsNotDoneToTheOther(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)

        let outcomes = try store.commit([
            .send(1, by: Self.names[0]),
            .act(2, .moderate(.ban(Self.names[0])), by: Someone.ann, as: .own),
            .edit(3, 1, "mine", by: Self.names[1]), .delete(4, 1, by: Self.names[1]),
            .send(5, by: Self.names[0]), .send(6, by: Self.names[1]),
            .react(7, 1, by: Self.names[1]),
        ])

        #expect(outcomes.map(\.revision) == [1, 2, nil, nil, nil, 3, 4])
        #expect(outcomes[2] == .refused(.notYours(id(1))) && outcomes[3] == .refused(.notYours(id(1))))
        let rows = try store.read(lobby, tail: 9, since: nil, atMost: 0).tail
        #expect(rows.map(\.author) == Self.names && rows.first?.reactions.first?.users == [Self.names[1]])
    }
}
