import ChatRoom
import ChatWire
import RoomStore
import Testing

/// Contradictory readings, although each row is valid. ``HistoryTests`` checks that no history leads to any of them.
struct SoundnessTests {
    private static func row(
        _ sort: UInt64, rev: Revision? = nil, id number: UInt64? = nil, time: Milliseconds = 1_000
    ) -> Message {
        Message(
            id: id(number ?? sort), section: .history, sort: sort, rev: rev ?? sort, author: Someone.ann, time: time,
            content: "hi")
    }

    private static func reading(
        revision: Revision = 9, count: Int = 3, tail: [Message] = [row(2), row(5, rev: 7), row(9)],
        changes: RoomReading.Changes = .none, rules: RoomRules = RoomRules(of: .open), start: UInt64 = 0
    ) -> RoomReading {
        RoomReading(revision: revision, count: count, tail: tail, changes: changes, rules: rules, start: start)
    }

    private static func changes(_ changes: RoomChange...) -> RoomReading { reading(changes: .all(changes)) }

    private static func standing(_ standing: Standing) -> RoomReading {
        reading(rules: RoomRules(of: .open, standings: [Someone.bob: standing]))
    }

    static let contradictory: [(String, RoomReading)] = [
        ("fewer rows than there are", reading(count: 4)),
        ("more rows than there are", reading(count: 2)),
        ("a negative count", reading(count: -1)),
        ("a revision beyond the wire", reading(revision: 1 << 53)),
        ("a beginning after the end", reading(start: 10)),
        ("a row before the beginning", reading(start: 3)),
        ("disorder", reading(tail: [row(5), row(2), row(9)])),
        ("two rows at one place", reading(tail: [row(2), row(2, id: 1), row(9)])),
        ("one row at two places", reading(tail: [row(2), row(5, id: 2), row(9)])),
        ("a row of the future", reading(tail: [row(2), row(5), row(10)])),
        ("a touch in the future", reading(tail: [row(2), row(5), row(9, rev: 10)])),
        ("a touch before the row was sent", reading(tail: [row(2), row(5, rev: 4), row(9)])),
        ("a time that does not fit the wire", reading(tail: [row(2), row(5), row(9, time: -1)])),
        ("changes in disorder", changes(.row(row(9), reloaded: 9), .row(row(5, rev: 7), reloaded: 5))),
        ("a change from before", changes(.row(row(2), reloaded: 2))),
        ("a change of the future", changes(.tombstone(id(1), sort: 1, rev: 10))),
        ("a message deleted before it was sent", changes(.tombstone(id(1), sort: 7, rev: 6))),
        ("an edit before the row was sent", changes(.row(row(5, rev: 7), reloaded: 4))),
        ("an edit after the last touch", changes(.row(row(5, rev: 7), reloaded: 8))),
        ("a slow mode that nobody can set", reading(rules: RoomRules(of: .open, slowMode: .max))),
        ("a negative slow mode", reading(rules: RoomRules(of: .open, slowMode: -1))),
        ("a mute beyond the wire", standing(Standing(mutedUntil: .max))),
        ("a kick in the future", standing(Standing(kicked: 10))),
    ]

    @Test(arguments: contradictory)
    func isFound(what: String, reading: RoomReading) {
        #expect(reading.contradiction(tail: 9, since: 3) != nil)
    }

    @Test func isNotFoundWhereThereIsNone() {
        let sound = Self.changes(.tombstone(id(1), sort: 1, rev: 6), .row(Self.row(5, rev: 7), reloaded: 5))

        #expect(sound.contradiction(tail: 9, since: 3) == nil)
        #expect(Self.reading(tail: [Self.row(9)]).contradiction(tail: 1, since: nil) == nil)
        #expect(Self.standing(Standing(mutedUntil: 5_000, kicked: 9)).contradiction(tail: 9, since: nil) == nil)
    }

    @Test func aPageHasNoMoreRowsThanWereAskedForAndNoneFromBehind() {
        let page = ListPage(revision: 9, from: 0, to: 5, rows: [Self.row(2), Self.row(5)], more: false, newer: true)

        #expect(page.contradiction(limit: 2) == nil)
        var short = page
        short.to = 4
        #expect(short.contradiction(limit: 2) != nil)
        #expect(page.contradiction(limit: 1) != nil)
    }
}
