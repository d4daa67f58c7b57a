import ChatRoom
import ChatWire
import Testing

import struct TestSupport.SplitMix64

/// The order of pinned messages.
struct PinsTests {
    private static let ids = (0..<8).map { MessageID(high: 0, low: $0) }

    /// Compared with a list of ids, in which each change is made in the simplest way.
    @Test(arguments: UInt64(0)..<200)
    func theOrderIsThatOfTheChanges(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var (pins, naive) = (Pins(), [MessageID]())
        for _ in 0..<300 {
            let (id, other) = (Self.ids.randomElement(using: &random)!, Self.ids.randomElement(using: &random)!)
            let before = pins.entries
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                #expect(pins.remove(id) == naive.contains(id))
                naive.removeAll { $0 == id }
            case 1:
                let isFull = naive.count == 6 && !naive.contains(id)
                #expect(
                    refusal { () throws(Refusal) in try pins.put(id, at: 1, .last, most: 6) }
                        == (isFull ? .tooManyPins(most: 6) : nil))
                if !isFull, !naive.contains(id) { naive.append(id) }
            default:
                let isAfter = Bool.random(using: &random)
                let refused = refusal { () throws(Refusal) in
                    try pins.put(id, at: 1, isAfter ? .after(other) : .before(other), most: 6)
                }
                if naive.count == 6, !naive.contains(id) {
                    #expect(refused == .tooManyPins(most: 6))
                } else if id == other || !naive.contains(other) {
                    #expect(refused == .notPinned(other))
                } else {
                    #expect(refused == nil)
                    naive.removeAll { $0 == id }
                    naive.insert(id, at: try #require(naive.firstIndex(of: other)) + (isAfter ? 1 : 0))
                }
            }
            #expect(pins.entries.map(\.message) == naive)
            #expect(Pins(pins.entries) == pins)
            let kept = Set(before.map(\.place)).intersection(pins.entries.map(\.place))
            let isSpread = pins.entries.enumerated().allSatisfy { $1.place == UInt64($0 + 1) * Pins.distance }
            #expect(kept.count >= before.count - 1 || isSpread, "one change moves one row, unless there is no place")
        }
    }

    /// The worst case: each message is put right behind the first one.
    @Test func thereIsAlwaysAPlace() throws {
        var pins = Pins()
        for id in Self.ids { try pins.put(id, at: 1, .last, most: 8) }
        for round in 0..<1_000 {
            let id = Self.ids[1 + round % 7]
            try pins.put(id, at: 1, .after(Self.ids[0]), most: 8)
            #expect(pins.entries[1].message == id)
        }
    }

    @Test func whatWasTrimmedIsNotPinned() throws {
        var pins = Pins()
        for (sort, id) in zip([9, 3, 5] as [UInt64], Self.ids) { try pins.put(id, at: sort, .last, most: 8) }
        #expect(pins.since(4).entries.map(\.sort) == [9, 5])
        #expect(pins.since(3) == pins)
    }

    private func refusal(_ body: () throws(Refusal) -> Void) -> Refusal? {
        do throws(Refusal) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// In a direct room everybody who may write pins messages.
    @Test(arguments: RoomName.Kind.allCases, [Role.read, .write, .moderate])
    func whoMayPinDependsOnTheRoom(kind: RoomName.Kind, role: Role) {
        let ann = UserName("ann")!
        let rules = RoomRules(of: kind, standings: [ann: Standing(role: role)])
        let row = Message(
            id: Self.ids[1], section: .history, sort: 1, rev: 1, author: ann, time: 0, content: "the rules")
        for moderation in [Moderation.pin(row.id, .last), .unpin(row.id)] {
            let operation = Operation(
                command: .random(), author: ann, role: .read, time: 0, action: .moderate(moderation))
            let isAllowed = role >= .moderate || kind == .direct && role == .write
            let refused = refusal { () throws(Refusal) in
                _ = try operation.fold(
                    onto: row, by: .member(RoomSettings()), under: rules, at: 9, limits: WireLimits())
            }
            #expect((refused == nil) == isAllowed)
        }
    }
}
