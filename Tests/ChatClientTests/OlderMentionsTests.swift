import ChatWire
import Replicas
import Testing

import struct TestSupport.SplitMix64

@testable import ChatClient

/// Older mentions than those of the list, as a client holds them.
struct OlderMentionsTests {
    typealias Probe = SessionProbe

    /// While others come and go, what is held is always the newest part of all, without a gap; and in the end it is all.
    @Test(arguments: UInt64(0)..<40)
    func whatIsHeldIsTheEndOfAllMentions(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var world = try World(mentions: .random(in: 0...300, using: &random))
        for _ in 0..<60 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: try world.say(.random(in: 1...40, using: &random))
            case 2: try world.delete(using: &random)
            default: world.turn(limit: .random(in: 1...60, using: &random))
            }
            let held = world.held
            try #require(world.older.isTorn || held == world.all.suffix(held.count))
        }

        while world.older.place(before: world.list) != nil { world.turn(limit: 60) }
        world.answer()

        #expect(world.held == world.all)
    }

    @Test func theyAreLetGoOfWithTheEpoch() throws {
        var world = try World(mentions: 150)
        world.turn(limit: 60)
        world.answer()
        #expect(world.held == world.all)

        world.older.follow(try Replica(World.snapshot(world.all, of: "other")))

        #expect(world.older.rows == [] && world.older.hasOlder(than: world.list))
    }

    @Test func aPageIsAskedForAndArrivesBeforeTheList() throws {
        let all = (1...102).map(World.mention)
        let place = MentionPlace(all[2])
        var probe = Probe.ready()
        probe.tell(.follow(.myMentions), .received(.snapshot(ref: 2, .myMentions, World.snapshot(all))))

        #expect(
            probe.tell(.olderMentions(limit: 50), .olderMentions(limit: 50))
                == [.send(3, .mentionsPage(before: place, limit: 50))])
        let page = ServerFrame.page(ref: 3, .myMentions, Probe.epoch, MentionsPage(rows: Array(all[..<2]), more: false))
        #expect(probe.tell(.received(page)) == [.mentions(.page(.older), all.map(\.id), unread: 102)])
        #expect(probe.tell(.olderMentions(limit: 50)) == [.mentions(.page(.older), all.map(\.id), unread: 102)])
        probe.tell(.closeMentions, .follow(.myMentions))
        #expect(
            probe.tell(.received(.snapshot(ref: 5, .myMentions, World.snapshot(all))))
                == [.mentions(.snapshot(.fresh), all.suffix(100).map(\.id), unread: 100)])
    }

    @Test func aRefusalIsToldAndOneThatPassesIsRepeated() throws {
        let all = (1...102).map(World.mention)
        let request = ClientFrame.Request.mentionsPage(before: MentionPlace(all[2]), limit: 50)
        var probe = Probe.ready()
        probe.tell(
            .follow(.myMentions), .received(.snapshot(ref: 2, .myMentions, World.snapshot(all))),
            .olderMentions(limit: 50))
        let (later, never) = (WireError(.storeDown, "later", retryAfter: 300), WireError(.invalid, "never"))

        #expect(probe.tell(.received(.error(ref: 3, later))) == [])
        #expect(probe.session.deadline == 300)
        #expect(probe.tick(at: 300) == [.send(4, request)])
        #expect(probe.tell(.received(.error(ref: 4, never))) == [.notice(.pageRefused(.myMentions, .older, never))])
    }
}

/// All mentions of a user, and what a client holds of them.
private struct World {
    private(set) var all: [MyMention] = []
    private(set) var list: Replica<MyMention>
    var older = OlderMentions()
    private var made = 0
    /// The request that is under way. What it finds is read as it is answered.
    private var request: (before: MentionPlace, limit: Int)?

    init(mentions: Int) throws {
        list = try Replica(Self.snapshot([]))
        try say(mentions)
    }

    var held: [MyMention] { older.rows + list.rows }

    mutating func say(_ count: Int) throws {
        for _ in 0..<count {
            made += 1
            all.append(Self.mention(made))
        }
        try follow()
    }

    /// A message that is in the list goes.
    mutating func delete(using random: inout SplitMix64) throws {
        guard let gone = list.rows.randomElement(using: &random) else { return }
        all.removeAll { $0.id == gone.id }
        try follow()
    }

    private mutating func follow() throws {
        list = try Replica(Self.snapshot(all))
        older.follow(list)
    }

    /// Takes the answer that is under way, and asks for the next page.
    mutating func turn(limit: Int) {
        answer()
        request = older.place(before: list).map { ($0, limit) }
    }

    mutating func answer() {
        guard let (place, limit) = request else { return }
        request = nil
        let past = all.prefix { $0.time < place.time }
        older.insert(MentionsPage(rows: past.suffix(limit), more: past.count > limit), before: place, of: list)
    }

    static func mention(_ number: Int) -> MyMention {
        MyMention(
            id: .init(room: SessionProbe.room, message: SessionProbe.id(UInt64(number))), sort: UInt64(number), rev: 1,
            author: SessionProbe.user, time: Milliseconds(number), light: .init(text: "@ann?", isRead: false))
    }

    static func snapshot(_ all: [MyMention], of epoch: String = "epoch") -> ServerFrame.Snapshot<MyMention> {
        let rows = Array(all.suffix(WireLimits.newestMentions))
        let proof = ListProof(count: rows.count, digest: ListDigest(rows.suffix(ListDigest.window)).value)
        return .init(
            epoch: Epoch(epoch)!, joined: 1, why: .fresh,
            snapshot: ListSnapshot(revision: 1, rows: rows, more: false, proof: proof))
    }
}
