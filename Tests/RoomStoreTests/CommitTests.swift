import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

/// The outcomes of operations, in every store.
struct CommitTests {
    private let folder = TemporaryFolder()

    @Test(arguments: StoreUnderTest.allCases)
    func revisionsCountFromOneInEachRoom(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let other = RoomName("other")!

        let outcomes = try store.commit([.send(1), .send(2, to: other), .send(3), .send(4, to: other)])

        #expect(outcomes.map(\.revision) == [1, 1, 2, 2])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func anEmptyBatchIsCommitted(kind: StoreUnderTest) throws {
        #expect(try kind.make(in: folder).commit([]) == [])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func laterOperationsOfABatchSeeTheEarlierOnes(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)

        let outcomes = try store.commit([
            .send(1), .edit(2, 1, "bye"), .react(3, 1), .delete(4, 1), .edit(5, 1, "late"),
        ])

        #expect(outcomes.map(\.revision) == [1, 2, 3, 4, nil])
        #expect(outcomes.last == .refused(.notFound(id(1))))
    }

    // MARK: - Repeats

    @Test(arguments: StoreUnderTest.allCases)
    func aRepeatGetsTheFirstAnswerAndDoesNothing(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        let batch: [RoomOperation] = [.send(1), .edit(2, 1, "bye"), .react(3, 1), .send(4), .delete(5, 4)]
        _ = try store.commit(batch)
        let before = try store.read(lobby, tail: 10, since: 0, atMost: 10)

        #expect(try store.commit(batch) == (1...5).map { .repeated($0) })
        #expect(try store.read(lobby, tail: 10, since: 0, atMost: 10) == before)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aRepeatInItsOwnBatchIsOne(kind: StoreUnderTest) throws {
        let outcomes = try kind.make(in: folder).commit([.send(1), .send(2), .send(1)])

        #expect(outcomes.last == .repeated(1))
    }

    @Test(arguments: StoreUnderTest.allCases)
    func anEditThatChangesNothingHasARevisionAndIsKnownWhenRepeated(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.send(1, "hello")])

        let outcomes = try store.commit([.edit(2, 1, "hello"), .edit(2, 1, "hello"), .send(3)])

        #expect(outcomes.map(\.revision) == [2, nil, 3])
        #expect(outcomes.prefix(2) == [.committed(2, .nothing), .repeated(2)])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func aRefusedCommandIsNotRemembered(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)

        let outcomes = try store.commit([.edit(2, 1, "early"), .send(1), .edit(2, 1, "again")])

        #expect(outcomes.map(\.revision) == [nil, 1, 2])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func anotherRoomsCommandIsAnotherCommand(kind: StoreUnderTest) throws {
        let outcomes = try kind.make(in: folder).commit([.send(1, "one"), .send(1, "other", to: RoomName("other")!)])

        #expect(outcomes.map(\.revision) == [1, 1])
    }

    // MARK: - Conflicts

    @Test(arguments: StoreUnderTest.allCases)
    func aCommandIdWithOtherContentIsAConflict(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.send(1, "hello"), .edit(2, 1, "bye")])

        let outcomes = try store.commit([
            .send(1, "other"), .send(1, "hello", by: Someone.bob), .delete(1, 1), .edit(2, 1, "other"), .send(2, "bye"),
        ])

        #expect(outcomes == Array(repeating: .conflict, count: 5))
    }

    @Test(arguments: StoreUnderTest.allCases)
    func theIdOfADeletedMessageIsNeverFree(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.send(1, "hello"), .delete(2, 1)])

        #expect(try store.commit([.send(1, "other"), .send(1, "hello")]) == [.conflict, .repeated(1)])
        #expect(try store.read(lobby, tail: 10, since: nil, atMost: 0).count == 0)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func whatIsRefusedTakesNothingElseOfItsBatchWithIt(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)

        let outcomes = try store.commit([
            .send(1), .delete(2, 1, by: Someone.bob), .send(1, "other"), .edit(3, 9, "lost"), .send(4),
        ])

        #expect(
            outcomes.dropFirst().dropLast()
                == [.refused(.notYours(id(1))), .conflict, .refused(.notFound(id(9)))])
        #expect(outcomes.last?.revision == 2)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func anIdThatNamesACommandNamesNoMessage(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([.send(1), .edit(2, 1, "bye")])

        #expect(try store.commit([.delete(3, 2)]) == [.refused(.notFound(id(2)))])
    }

    // MARK: - Content

    private static let texts = [
        "", "a\u{0}b", "👩‍👩‍👧‍👦", "cafe\u{301}", "\u{FEFF}\u{202E}", String(repeating: "x", count: 8_192),
    ]

    @Test(arguments: StoreUnderTest.allCases, texts.indices)
    func aTextIsKeptByteByByte(kind: StoreUnderTest, index: Int) throws {
        let text = Self.texts[index]
        let store = try kind.make(in: folder)
        _ = try store.commit([.send(1, text)])

        let kept = try store.read(lobby, tail: 1, since: nil, atMost: 0).tail.first?.text

        #expect(kept.map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test(arguments: StoreUnderTest.allCases)
    func everyFieldOfAMessageIsKept(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        _ = try store.commit([
            .act(1, .send(MessageContent("hello", replyTo: id(77))), by: Someone.ann), .edit(2, 1, "bye"),
            .react(3, 1, "👍", by: Someone.bob), .react(4, 1, "👍", by: Someone.ann),
            .react(5, 1, "\u{1F}", by: Someone.bob),
        ])

        #expect(
            try store.read(lobby, tail: 1, since: nil, atMost: 0).tail == [
                Message(
                    id: id(1), section: .history, sort: 1, rev: 5, author: Someone.ann, time: 1_001,
                    content: MessageContent("bye", replyTo: id(77)),
                    edited: 1_002,
                    reactions: [
                        Reaction(emoji: "👍", users: [Someone.bob, Someone.ann]),
                        Reaction(emoji: "\u{1F}", users: [Someone.bob]),
                    ])
            ])
    }
}

extension CommitOutcome {
    /// The revision that the operation made.
    var revision: Revision? {
        if case .committed(let revision, _) = self { revision } else { nil }
    }
}
