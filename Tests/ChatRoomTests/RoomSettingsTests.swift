import ChatWire
import Replicas
import TestSupport
import Testing

@testable import ChatRoom

/// A member's own settings of rooms: the operation, and where the rooms stand in the member's list.
struct RoomSettingsTests {
    private static let ann = UserName("ann")!

    private func fold(_ change: SettingsChange, by membership: Membership, at revision: Revision = 9) throws
        -> RowChange
    {
        let operation = Operation(command: .random(), author: Self.ann, role: .read, time: 5, action: .settings(change))
        return try operation.fold(
            onto: nil, by: membership, under: RoomRules(of: .open), at: revision, limits: WireLimits())
    }

    @Test func whatIsMissingStays() throws {
        let before = RoomSettings(pinned: 5, isMuted: true, isArchived: true, marked: 3)

        #expect(
            try fold(SettingsChange(isArchived: false), by: .member(before))
                == .settings(Self.ann, RoomSettings(pinned: 5, isMuted: true, marked: 3)))
        #expect(
            try fold(SettingsChange(pinned: .off, isMarked: false), by: .member(before))
                == .settings(Self.ann, RoomSettings(isMuted: true, isArchived: true)))
    }

    /// A read mark that is on its way may end the mark of before.
    @Test func whatIsSoAlreadyChangesNothingButAMarkIsANewOne() throws {
        let before = RoomSettings(pinned: 5, isMuted: true, marked: 3)

        #expect(try fold(SettingsChange(pinned: .at(5), isMuted: true), by: .member(before)) == .nothing)
        var after = before
        after.marked = 9
        #expect(try fold(SettingsChange(isMarked: true), by: .member(before)) == .settings(Self.ann, after))
    }

    @Test func onlyMembersHaveSettings() {
        let change = SettingsChange(isMuted: true)

        #expect(throws: Refusal.notMember) { try fold(change, by: .guest(.none)) }
        #expect(throws: Refusal.notMember) { try fold(change, by: .guest(.none), at: 1) }
        #expect(throws: Refusal.onlyInvited) { try fold(change, by: .invited(.none)) }
    }

    // MARK: - The feed

    private func reading(
        at revision: Revision, read: Revision = 1, _ settings: RoomSettings = RoomSettings()
    ) -> MembershipReading {
        MembershipReading(
            room: RoomName("lobby")!, user: Self.ann, revision: revision, joined: 1, time: 0, read: read,
            settings: settings, unread: 0, mentions: 0, last: nil, standing: Standing())
    }

    /// What was told of a person is later than a reading from before it.
    @Test func aReadingFromBeforeAChangeDoesNotUndoIt() {
        var feed = RoomFeed(of: RoomName("lobby")!)
        feed.add(Self.ann)
        feed.apply(reading(at: 4))
        feed.invalidate(Self.ann)
        _ = feed.question()

        feed.handle(.settings(Self.ann, RoomSettings(isMuted: true)), at: 5)
        feed.apply([Self.ann: reading(at: 4)], of: [Self.ann])

        #expect(feed.entry(of: Self.ann, granted: .read)?.light.isMuted == true)
        #expect(feed.question() == [Self.ann])
    }

    @Test func aMarkLastsUntilTheReadMarkReachesItWhicheverIsHeardFirst() {
        for order in [[0, 1, 2], [1, 0, 2], [1, 2, 0], [2, 0, 1]] {
            var feed = RoomFeed(of: RoomName("lobby")!)
            feed.add(Self.ann)
            feed.apply(reading(at: 4))
            for step in order {
                switch step {
                case 0: feed.handle(.settings(Self.ann, RoomSettings(marked: 5)), at: 5)
                case 1: feed.mark(Self.ann, 4)
                default: feed.mark(Self.ann, 3)
                }
            }
            #expect(feed.entry(of: Self.ann, granted: .read)?.light.isMarked == true, "\(order)")

            feed.mark(Self.ann, 5)
            #expect(feed.entry(of: Self.ann, granted: .read)?.light.isMarked == false, "\(order)")
        }
    }

    // MARK: - The list

    private struct NoSnapshot: Error {}

    /// One room of the model.
    private struct Place {
        var section = MyRoom.Section.rooms
        var pin: UInt64 = 1
        var light = MyRoom.Light()
        var number: UInt64 = 0
    }

    /// A reader applies each diff, and has what a fresh reader gets. Pinned rooms stand where they are to.
    @Test func afterEachOfTenThousandMovesEveryReaderHasTheSameList() throws {
        var random = SplitMix64(seed: 7)
        let rooms = (0..<24).map { RoomName("r\($0)")! }
        var model: [RoomName: Place] = [:]
        var inbox = Inbox(epoch: Epoch("e")!, tick: .zero, limit: rooms.count)
        guard case .snapshot(let first, let why, let joined) = inbox.subscribe(Reader(1), nil) else {
            throw NoSnapshot()
        }
        var replica = try Replica(.init(epoch: inbox.epoch, joined: joined, why: why, snapshot: first))

        for step in 1...10_000 as ClosedRange<UInt64> {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let room = rooms.randomElement(using: &random)!
                model[room] = Self.moved(model[room], step, using: &random)
                inbox.touch(room)
            }
            let diff = inbox.commit(at: .zero) { room in
                guard let place = model[room] else { return .gone }
                let time = Milliseconds(place.number) + 1_000_000_000
                let spot = Inbox.Place(
                    section: place.section, pinned: place.section == .rooms ? nil : place.pin,
                    activity: .init(joined: 0, said: ActivityStamp(of: time)))
                return .entry(Inbox.Entry(place: spot, people: [], light: place.light))
            }.diff
            if let diff { try replica.apply(diff, epoch: inbox.epoch) }

            guard case .snapshot(let fresh, _, _) = inbox.subscribe(Reader(2), nil) else { throw NoSnapshot() }
            try #require(replica.rows == fresh.rows)
            try #require(Set(fresh.rows.map(\.sort)).count == model.count)
            let pinned = fresh.rows.filter { $0.section == .pinned }.map { "\($0.id) \($0.sort)" }
            try #require(pinned == Self.places(in: model))
        }
    }

    /// A room comes, goes, is pinned, unpinned, archived, or something is said in it.
    private static func moved(_ place: Place?, _ step: UInt64, using random: inout SplitMix64) -> Place? {
        guard var place else { return Place(light: .init(unread: step)) }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return nil
        case 1...4: (place.section, place.pin) = (.pinned, .random(in: 1...12, using: &random))
        case 5: place.section = .rooms
        case 6: place.section = .archived
        default: (place.number, place.light.unread) = (step, step)
        }
        return place
    }

    private static func places(in model: [RoomName: Place]) -> [String] {
        let pinned = model.filter { $0.value.section == .pinned }
            .sorted { ($0.value.pin, $0.key.description) < ($1.value.pin, $1.key.description) }
        var last: UInt64 = 0
        return pinned.map { room, place in
            last = [place.pin, last + 1].max()!
            return "\(room) \(last)"
        }
    }
}
