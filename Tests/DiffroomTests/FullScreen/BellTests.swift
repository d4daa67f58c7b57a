import ChatWire
import Replicas
import Testing

@testable import ChatClient
@testable import diffroom

/// Which changes of ann's rooms ring the bell.
@Suite struct BellTests {
    private static let tea = RoomName("tea")!
    private static let pair = RoomName("@00112233445566778899aabbccddeeff")!

    /// A room of ann's that she has read up to 40.
    private static func room(
        _ name: RoomName = tea, unread: UInt64 = 0, mentions: UInt64 = 0, read: Revision = 40,
        by author: String = "bob", isMuted: Bool = false, in section: MyRoom.Section = .rooms, sort: UInt64 = 5,
        last number: UInt64 = 1
    ) -> MyRoom {
        let last = LastMessage(id: MessageID(high: 0, low: number), author: UserName(author)!, time: 0, text: "hello")
        return MyRoom(
            id: name, section: section, sort: sort, rev: 1,
            light: .init(unread: unread, mentions: mentions, read: read, isMuted: isMuted, last: last))
    }

    private func bell(before rows: [MyRoom], seeing seen: RoomName? = nil) throws -> Bell {
        let proof = ListProof(count: rows.count, digest: ListDigest(rows).value)
        let snapshot = ListSnapshot(revision: 9, rows: rows, more: false, proof: proof)
        let view = RoomsView(replica: try Replica(epoch: Epoch("e")!, joined: 9, snapshot))
        return Bell(user: UserName("ann")!, before: view, seen: Set([seen].compactMap(\.self)))
    }

    @Test(arguments: [
        (room(), room(unread: 1, mentions: 1)), (room(unread: 3, mentions: 1), room(unread: 4, mentions: 2)),
        (room(in: .archived), room(unread: 1, mentions: 1, in: .archived)),
        (room(in: .pinned), room(unread: 1, mentions: 1, in: .pinned)), (room(pair), room(pair, unread: 1)),
    ])
    func aMentionAndADirectMessageRing(before: MyRoom, after: MyRoom) throws {
        #expect(try bell(before: [before]).rings(for: after))
    }

    @Test(arguments: [
        (room(), room(unread: 1)),
        (room(isMuted: true), room(unread: 1, mentions: 1, isMuted: true)),
        (room(pair, isMuted: true), room(pair, unread: 1, isMuted: true)),
        (room(pair, in: .archived), room(pair, unread: 1, in: .archived)),
        (room(pair), room(pair, unread: 1, by: "ann")),
        // Ann has marked it as unread, also that which mentions her.
        (room(), room(unread: 3, mentions: 1, read: 37)), (room(pair), room(pair, unread: 3, read: 37)),
        (room(unread: 1, mentions: 1), room(read: 41)), (room(unread: 1, mentions: 1), room(unread: 2, mentions: 1)),
    ])
    func whatSheDoesNotWantOrHasDoneHerselfDoesNot(before: MyRoom, after: MyRoom) throws {
        #expect(try !bell(before: [before]).rings(for: after))
    }

    /// She has read what was there on another device, and the next came: one change, in which no number grows.
    @Test(arguments: [
        (room(pair, unread: 1), room(pair, unread: 1, read: 41, last: 2)),
        (room(unread: 3, mentions: 2), room(unread: 1, mentions: 1, read: 43, last: 2)),
    ])
    func whatComesAsSheReadsElsewhereRings(before: MyRoom, after: MyRoom) throws {
        #expect(try bell(before: [before]).rings(for: after))
    }

    @Test(arguments: [
        (room(pair, unread: 2), room(pair, unread: 1, read: 41)),
        (room(pair, unread: 1), room(pair, read: 41, last: 2)),
        (room(pair, unread: 1), room(pair, unread: 1, read: 41, by: "ann", last: 2)),
    ])
    func whatSheReadsElsewhereDoesNotRing(before: MyRoom, after: MyRoom) throws {
        #expect(try !bell(before: [before]).rings(for: after))
    }

    @Test func whatSheSeesAnywayDoesNot() throws {
        let (before, after) = ([Self.room(Self.pair)], Self.room(Self.pair, unread: 1, mentions: 1))

        #expect(try !bell(before: before, seeing: Self.pair).rings(for: after))
        #expect(try bell(before: before, seeing: Self.tea).rings(for: after))
    }

    @Test func anInvitationRingsOnce() throws {
        let invitation = Self.room(in: .invited)

        #expect(try bell(before: []).rings(for: invitation))
        #expect(try !bell(before: [invitation]).rings(for: invitation))
    }

    /// A removal and the invitation after it are one change of the list.
    @Test func anInvitationBackRings() throws {
        #expect(try bell(before: [Self.room()]).rings(for: Self.room(in: .invited)))
    }

    /// A room below those that had rows came because another one left; one above them is news.
    @Test func aRoomThatHadNoRowRingsOnTopOnly() throws {
        let before = [Self.room(RoomName("lobby")!, sort: 5)]

        #expect(try !bell(before: before).rings(for: Self.room(unread: 2, mentions: 1, sort: 4)))
        #expect(try bell(before: before).rings(for: Self.room(unread: 2, mentions: 1, sort: 6)))
    }
}
