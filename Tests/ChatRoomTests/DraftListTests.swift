import ChatWire
import TestSupport
import Testing

@testable import ChatRoom

/// The list of one user's drafts.
struct DraftListTests {
    private static let ann = UserName("ann")!
    private static let rooms = (0..<6).map { RoomName("r\($0)")! }

    /// After each diff the rows are what is stored, in the order of their times.
    @Test(arguments: UInt64(0)..<200)
    func theRowsAreWhatIsStored(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var list = DraftList(epoch: Epoch("e")!, tick: .zero, WireLimits())
        #expect(list.request([Self.ann]).new == [Self.ann])
        var stored: [StoredDraft] = []
        var held: [RoomName: Draft] = [:]
        #expect(list.subscribe(Reader(1), nil).revision == 0)

        for step in 1..<40 {
            let room = Self.rooms.randomElement(using: &random)!
            stored.removeAll { $0.room == room }
            if Bool.random(using: &random) {
                // A clock may be put back.
                let time = Milliseconds(Int.random(in: 0...step, using: &random))
                stored.append(StoredDraft(room: room, content: MessageContent("\(step)"), time: time))
            }
            list.touch(Self.ann)
            guard let diff = list.commit(at: .zero, time: 0, { $0 == Self.ann ? stored : nil }) else { continue }
            for id in diff.deletions { held[id] = nil }
            for row in diff.insertions { held[row.id] = row }
            for move in diff.moves { held[move.id]?.sort = move.sort }
            for change in diff.reconfigurations { held[change.id]?.light = change.light }

            #expect(diff.proof.count == held.count)
            #expect(Set(held.keys) == Set(stored.map(\.room)))
            for draft in stored {
                #expect(held[draft.room]?.light == Draft.Light(content: draft.content, time: draft.time))
            }
            let times = held.values.sorted { $0.sort < $1.sort }.map(\.light.time)
            #expect(times == times.sorted())
        }
    }

    @Test func anotherPersonsDraftsChangeNothing() {
        var list = DraftList(epoch: Epoch("e")!, tick: .zero, WireLimits())
        _ = list.request([Self.ann])
        _ = list.subscribe(Reader(1), nil)
        #expect(list.commit(at: .zero, time: 0) { _ in nil } == nil)

        list.touch(UserName("bob")!)

        #expect(list.due == nil)
    }
}
