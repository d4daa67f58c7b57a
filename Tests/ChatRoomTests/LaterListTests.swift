import ChatWire
import TestSupport
import Testing

@testable import ChatRoom

/// The list of one user's messages and reminders for later.
struct LaterListTests {
    private static let ann = UserName("ann")!
    private static let ids = (1...6).map { UniqueID(high: 0, low: $0) }
    private static let room = RoomName("lobby")!

    private static func item(_ id: UniqueID, at now: Milliseconds, using random: inout SplitMix64) -> StoredLater {
        let isReminder = Bool.random(using: &random)
        let action: LaterItem.Action = isReminder ? .remind(ids[0]) : .send("hello")
        let plan = LaterItem.Plan(action, in: room, at: now + Milliseconds.random(in: -5...20, using: &random))
        let isRefused = !isReminder && Int.random(in: 0..<4, using: &random) == 0
        let refusal = isRefused ? WireError(.muted, "you are muted") : nil
        return StoredLater(
            id: id, LaterItem.Light(plan, refusal: refusal), role: .write, due: isReminder || isRefused ? nil : plan.at)
    }

    /// After each diff the rows are what is stored, in their sections and in the order of their times. Only time passes in
    /// some steps: then the reminders become due for which the list asked to be called.
    @Test(arguments: UInt64(0)..<200)
    func theRowsAreWhatIsStored(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var list = LaterList(epoch: Epoch("e")!, tick: .zero, WireLimits())
        _ = list.request([Self.ann])
        _ = list.subscribe(Reader(1), nil)
        var stored: [UniqueID: StoredLater] = [:]
        var held: [UniqueID: LaterItem] = [:]

        for now in Milliseconds(100)..<160 {
            if Bool.random(using: &random) {
                let id = Self.ids.randomElement(using: &random)!
                let isGone = Int.random(in: 0..<3, using: &random) == 0
                stored[id] = isGone ? nil : Self.item(id, at: now, using: &random)
                list.touch(Self.ann)
            }
            guard let due = list.due, due <= .milliseconds(now) else { continue }
            let diff = list.commit(at: .milliseconds(now), time: now) { _ in Array(stored.values) }
            for id in diff?.deletions ?? [] { held[id] = nil }
            for row in diff?.insertions ?? [] { held[row.id] = row }
            for move in diff?.moves ?? [] {
                held[move.id]?.section = move.section
                held[move.id]?.sort = move.sort
            }
            for change in diff?.reconfigurations ?? [] { held[change.id]?.light = change.light }

            #expect(held.mapValues(\.light) == stored.mapValues(\.light))
            for item in stored.values {
                let isDue =
                    if case .remind = item.light.plan.action { item.light.plan.at <= now } else {
                        item.light.refusal != nil
                    }
                #expect(held[item.id]?.section == (isDue ? .due : .waiting))
            }
            for section in LaterItem.Section.allCases {
                let times = held.values.filter { $0.section == section }.sorted { $0.sort < $1.sort }.map(
                    \.light.plan.at)
                #expect(times == times.sorted())
            }
        }
    }

    /// The time of day can jump, so the list looks at it once a minute at least.
    @Test func theListLooksAtTheTimeOfDayEachMinute() {
        var list = LaterList(epoch: Epoch("e")!, tick: .zero, WireLimits())
        _ = list.request([Self.ann])
        _ = list.subscribe(Reader(1), nil)
        let plan = LaterItem.Plan(.remind(Self.ids[0]), in: Self.room, at: 3_600_000)
        let item = StoredLater(id: Self.ids[1], LaterItem.Light(plan), role: .write, due: nil)

        _ = list.commit(at: .seconds(5), time: 0) { _ in [item] }

        #expect(list.due == .seconds(65))
        let diff = list.commit(at: .seconds(65), time: 4_000_000) { _ in [item] }
        #expect(diff?.moves.map(\.section) == [.due])
        #expect(list.due == nil)
    }
}
