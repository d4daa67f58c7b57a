import ChatRoom
import ChatWire
import Testing

struct RoomFeedTests {
    private static let ann = UserName("ann")!

    private static func reading(
        at revision: Revision, read: Revision, unread: Int, _ settings: RoomSettings = RoomSettings()
    ) -> MembershipReading {
        MembershipReading(
            room: RoomName("lobby")!, user: ann, revision: revision, joined: 1, time: 0, read: read,
            settings: settings, unread: unread, mentions: 0, last: message(revision), standing: Standing())
    }

    private static func message(_ revision: Revision) -> Message {
        Message(
            id: MessageID(high: 0, low: revision), section: .history, sort: revision, rev: revision,
            author: UserName("bob")!, time: 0, content: "\(revision)")
    }

    @Test func aMessageToEverybodyCountsOnceForEachButItsAuthor() {
        let (bob, cid) = (UserName("bob")!, UserName("cid")!)
        let people = [Self.ann, bob, cid]
        var feed = RoomFeed(of: RoomName("lobby")!)
        for user in people { feed.add(user) }
        _ = feed.question()
        let readings = people.map { user in
            // What cid has is ahead of what the room told.
            let revision: Revision = user == cid ? 12 : 10
            return MembershipReading(
                room: RoomName("lobby")!, user: user, revision: revision, joined: 1, time: 0, read: revision - 1,
                settings: RoomSettings(), unread: 1, mentions: 0, last: Self.message(revision), standing: Standing())
        }
        for reading in readings { feed.apply(reading) }
        var mentions: [UInt64?] { people.map { feed.entry(of: $0, granted: .write)?.light.mentions } }
        func called(_ revision: Revision, _ names: [UserName], everyone: Bool) -> Message {
            Message(
                id: MessageID(high: 0, low: revision), section: .history, sort: revision, rev: revision, author: bob,
                time: 0, content: MessageContent("\(revision)", mentions: Mentioned(names, everyone: everyone)))
        }

        feed.handle(.inserted(called(11, [Self.ann, bob], everyone: true), at: 0), at: 11)
        #expect(mentions == [1, 0, 0])
        feed.handle(.inserted(called(12, [cid], everyone: false), at: 0), at: 12)
        feed.handle(.inserted(called(13, [], everyone: true), at: 0), at: 13)
        #expect(mentions == [2, 0, 1])
        feed.mark(Self.ann, 12)
        #expect(mentions == [1, 0, 1])
        feed.mark(cid, 14)
        feed.handle(.inserted(called(14, [], everyone: true), at: 0), at: 14)
        #expect(mentions == [2, 0, 0])
    }

    /// The store does the same in one transaction, and nobody is told of a mark.
    @Test func whoSaysSomethingHasReadEverythingUpToIt() {
        let bob = UserName("bob")!
        for (isMember, unread) in [(true, 0), (false, 5)] as [(Bool, UInt64)] {
            var feed = RoomFeed(of: RoomName("~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2")!)
            feed.add(bob)
            _ = feed.question()
            feed.apply(
                [
                    bob: MembershipReading(
                        room: RoomName(privateRoomOf: .random()), user: bob, revision: 10, joined: isMember ? 1 : 0,
                        time: 0, read: isMember ? 6 : 0, settings: RoomSettings(marked: isMember ? 8 : 0), unread: 4,
                        mentions: 0, last: Self.message(10), standing: Standing(role: .write))
                ], of: [bob])

            feed.handle(.inserted(Self.message(11), at: 0), at: 11)

            let light = feed.entry(of: bob, granted: .write)?.light
            #expect(light?.unread == unread && light?.read == (isMember ? 11 : 0) && light?.isMarked == false)
            #expect(feed.question() == nil)
        }
    }

    @Test func anEditThatMentionsTheSamePeopleAsksForNothing() {
        var feed = RoomFeed(of: RoomName("lobby")!)
        feed.add(Self.ann)
        _ = feed.question()
        feed.apply([Self.ann: Self.reading(at: 10, read: 2, unread: 8)], of: [Self.ann])
        var row = Self.message(11)
        row.content.mentions = Mentioned([], everyone: true)
        feed.handle(.inserted(row, at: 0), at: 11)
        (row.content.text, row.rev) = ("better", 12)
        feed.handle(.reloaded(row), at: 12)
        #expect(feed.question() == nil)

        (row.content.mentions, row.rev) = ([], 13)
        feed.handle(.reloaded(row), at: 13)
        #expect(feed.question() == [Self.ann])
    }

    /// What was told before the room's first reading is applied after it.
    @Test func whoLeftAndCameBackBeforeTheFirstReadingStays() {
        let bob = UserName("bob")!
        var feed = RoomFeed(of: RoomName("lobby")!)
        for user in [Self.ann, bob] { feed.add(user) }
        _ = feed.question()
        feed.handle(.left(bob), at: 5)
        #expect(!feed.has(bob) && feed.drainLost() == [bob])
        feed.handle(.joined(bob), at: 6)
        feed.add(bob)

        feed.apply(Self.reading(at: 4, read: 2, unread: 2))

        #expect(feed.has(bob) && !feed.knows(bob) && feed.drainLost() == [])
        feed.apply([:], of: [Self.ann, bob])
        #expect(feed.has(bob) && feed.question()?.contains(bob) == true)
    }

    @Test func aReadingFromBeforeSomebodyLeftTellsNothingOfThem() {
        var feed = RoomFeed(of: RoomName("lobby")!)
        feed.add(Self.ann)
        _ = feed.question()
        feed.handle(.left(Self.ann), at: 5)
        feed.add(Self.ann)

        feed.apply(Self.reading(at: 4, read: 2, unread: 2))

        #expect(feed.entry(of: Self.ann, granted: .write) == nil)
        feed.apply(nil, of: [Self.ann])
        #expect(feed.question() == [Self.ann])
        feed.apply([:], of: [Self.ann])
        #expect(!feed.has(Self.ann) && feed.drainLost() == [Self.ann])
    }

    /// A new last message beside the count of before would be a state that never was.
    @Test func aReadingFromBeforeAMarkTellsNoLaterMessage() {
        var feed = RoomFeed(of: RoomName("lobby")!)
        feed.add(Self.ann)
        _ = feed.question()
        feed.apply([Self.ann: Self.reading(at: 10, read: 2, unread: 8)], of: [Self.ann])
        feed.announce(12)
        _ = feed.question()
        feed.mark(Self.ann, 10)

        feed.apply([Self.ann: Self.reading(at: 12, read: 2, unread: 10)], of: [Self.ann])

        #expect(
            feed.entry(of: Self.ann, granted: .write)?.light
                == .init(unread: 0, read: 10, last: LastMessage(Self.message(10))))
        #expect(feed.question() == [Self.ann])
        feed.apply([Self.ann: Self.reading(at: 12, read: 10, unread: 2)], of: [Self.ann])
        #expect(
            feed.entry(of: Self.ann, granted: .write)?.light
                == .init(unread: 2, read: 10, last: LastMessage(Self.message(12))))
    }

    // MARK: - What is known late

    /// A feed that knows ann, who has read up to 2 of 10 messages.
    private static func feed(_ settings: RoomSettings = RoomSettings()) -> RoomFeed {
        var feed = RoomFeed(of: RoomName("lobby")!)
        feed.add(ann)
        _ = feed.question()
        feed.apply([ann: reading(at: 10, read: 2, unread: 8, settings)], of: [ann])
        return feed
    }

    /// A person who left is owed that, also if their row goes before it was told.
    @Test func whoLeftIsOwedItUntilItIsTold() {
        var feed = Self.feed()
        _ = feed.drainTouched()

        feed.handle(.left(Self.ann), at: 11)

        #expect(feed.owes(Self.ann))
        #expect(feed.drainTouched() == [Self.ann] && feed.drainLost() == [Self.ann])
        #expect(!feed.owes(Self.ann))
    }

    /// A read mark that the known settings forbid may have been allowed by later ones.
    @Test func aMarkThatOvertookTheSettingsIsReadAgain() {
        var feed = Self.feed(RoomSettings(marked: 9))

        feed.mark(Self.ann, 5)
        feed.handle(.settings(Self.ann, RoomSettings()), at: 11)

        #expect(feed.question() == [Self.ann])
        feed.apply([Self.ann: Self.reading(at: 11, read: 5, unread: 5)], of: [Self.ann])
        #expect(feed.entry(of: Self.ann, granted: .write)?.light.read == 5)
        #expect(feed.question() == nil)
    }

    /// The store may have been read before a mark that changes nothing here.
    @Test func whatWasReadBeforeAMarkIsReadAgain() {
        var feed = Self.feed()
        feed.mark(Self.ann, 10)
        feed.handle(.settings(Self.ann, RoomSettings(marked: 11), unreadFrom: 3), at: 11)
        feed.handle(.settings(Self.ann, RoomSettings()), at: 12)
        #expect(feed.question() == [Self.ann])

        feed.mark(Self.ann, 5)
        feed.apply([Self.ann: Self.reading(at: 12, read: 2, unread: 8)], of: [Self.ann])

        #expect(feed.question() == [Self.ann])
        feed.apply([Self.ann: Self.reading(at: 12, read: 5, unread: 5)], of: [Self.ann])
        #expect(feed.entry(of: Self.ann, granted: .write)?.light.read == 5)
    }

    /// A read mark that went back stays back, also if the mark as unread is taken back at once.
    @Test func aReadMarkThatWentBackIsNotAwaitedAnyMore() {
        var feed = Self.feed()
        feed.mark(Self.ann, 10)

        feed.handle(.settings(Self.ann, RoomSettings(marked: 11), unreadFrom: 3), at: 11)
        feed.handle(.settings(Self.ann, RoomSettings()), at: 12)

        #expect(feed.question() == [Self.ann])
        feed.apply([Self.ann: Self.reading(at: 12, read: 2, unread: 8)], of: [Self.ann])
        #expect(feed.entry(of: Self.ann, granted: .write)?.light.read == 2)
        #expect(feed.question() == nil)
    }
}
