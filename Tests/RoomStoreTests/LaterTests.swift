import ChatRoom
import ChatWire
import PostgresStore
import RoomStore
import TestSupport
import Testing

/// People's messages and reminders for later, in every store.
struct LaterTests {
    private let folder = TemporaryFolder()
    private static let people = [Someone.ann, Someone.bob, UserName("Åse 日本")!]
    private static let rooms = ["lobby", "~0b6f6c1e-56a3-4f0f-9d0d-3d3e7b5a4c21"].map { RoomName($0)! }
    private static let ids = (1...4).map { UniqueID(high: 0, low: $0) }
    private static let contents: [MessageContent] = [
        "hello", MessageContent("@bob yes", replyTo: ids[0], mentions: [Someone.bob]),
        MessageContent("a poll", data: AppData(#"{"kind":"poll"}"#)), "\u{1}{", "a\n\tb",
    ]
    private static let refusal = WireError(.muted, "you are muted", retryAfter: 9)

    private static func plan(using random: inout SplitMix64) -> LaterItem.Plan {
        let action: LaterItem.Action =
            Bool.random(using: &random)
            ? .send(contents.randomElement(using: &random)!) : .remind(ids.randomElement(using: &random)!)
        return LaterItem.Plan(
            action, in: rooms.randomElement(using: &random)!, at: Milliseconds.random(in: 0...20, using: &random))
    }

    /// The rules once more, with a plain dictionary.
    private struct Model {
        var items: [UserName: [UniqueID: StoredLater]] = [:]

        mutating func refusal(_ change: LaterChange, most: Int) -> LaterRefusal? {
            let old = items[change.user]?[change.id]
            let isHeld = (old?.held ?? 0) != 0
            switch change.action {
            case .put(let plan, let role):
                if isHeld { return .notWaiting }
                if old == nil, items[change.user]?.count == most { return .tooMany }
                var due: Milliseconds?
                if case .send = plan.action {
                    due = old?.due != nil && old!.light.plan.at == plan.at ? old!.due! : plan.at
                    // Of two for one time, the later one comes a millisecond later.
                    let others = items[change.user]?.values.filter { $0.id != change.id }.compactMap(\.due) ?? []
                    while others.contains(due!) { due! += 1 }
                }
                items[change.user, default: [:]][change.id] = StoredLater(
                    id: change.id, LaterItem.Light(plan), role: role, due: due)
            case .cancel:
                if old == nil || isHeld { return .notWaiting }
                items[change.user]?[change.id] = nil
            case .hold(let now, let end):
                guard let due = old?.due, due <= now, old!.held <= now else { return .notWaiting }
                items[change.user]?[change.id]?.held = end
            case .finish:
                if !isHeld { return .notWaiting }
                items[change.user]?[change.id] = nil
            case .postpone(let time):
                if !isHeld { return .notWaiting }
                items[change.user]?[change.id]?.held = 0
                items[change.user]?[change.id]?.due = time
            case .refuse(let error):
                if !isHeld { return .notWaiting }
                items[change.user]?[change.id]?.held = 0
                items[change.user]?[change.id]?.due = nil
                items[change.user]?[change.id]?.light.refusal = error
            }
            return nil
        }
    }

    private static func change(using random: inout SplitMix64, at now: Milliseconds) -> LaterChange {
        let action: LaterChange.Action =
            switch Int.random(in: 0..<9, using: &random) {
            case 0...2: .put(plan(using: &random), Role.allCases.randomElement(using: &random)!)
            case 3: .cancel
            case 4, 5: .hold(at: now, until: now + 3)
            case 6: .finish
            case 7: .postpone(now + 2)
            default: .refuse(refusal)
            }
        return LaterChange(
            user: people.randomElement(using: &random)!, id: ids.randomElement(using: &random)!, action)
    }

    @Test(arguments: StoreUnderTest.histories(60))
    func everyStoreFollowsTheRules(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder)
        var model = Model()

        for step in Milliseconds(1)..<20 {
            let changes = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                Self.change(using: &random, at: step)
            }
            let expected = changes.map { model.refusal($0, most: 3) }
            let outcomes = try store.write(changes, most: 3)

            #expect(outcomes.map(\.refusal) == expected)
            let stored = try store.later(of: Self.people).mapValues { items in
                Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
            }
            #expect(stored == model.items.filter { !$0.value.isEmpty })
            let next = try store.nextLater(limit: 5)
            let due = model.items.values.flatMap(\.values).compactMap(\.due).sorted()
            #expect(next.map(\.item.due) == due.prefix(5).map(\.self))
            for one in next { #expect(model.items[one.user]?[one.item.id] == one.item) }
        }
        #expect(try store.later(of: []) == [:])
    }

    @Test func itemsOutliveTheProcess() throws {
        let plan = LaterItem.Plan(.send("hello"), in: Self.rooms[0], at: 7)
        let change = LaterChange(user: Someone.ann, id: Self.ids[0], .put(plan, .write))
        _ = try StoreUnderTest.sqlite.make(in: folder).write([change], most: 9)

        let stored = try StoreUnderTest.sqlite.make(in: folder).later(of: Self.people)

        let item = StoredLater(id: Self.ids[0], LaterItem.Light(plan), role: .write, due: 7)
        #expect(stored == [Someone.ann: [item]])
    }

    /// Of two servers that see a message due at the same time, one sends it.
    @Test func oneServerHoldsAnItem() throws {
        let address = try PostgresAddress.unused()
        let (first, second) = (try PostgresStore(address), try PostgresStore(address))
        let plan = LaterItem.Plan(.send("hello"), in: Self.rooms[0], at: 7)
        func write(_ action: LaterChange.Action, to store: PostgresStore) throws -> LaterRefusal? {
            try store.write([LaterChange(user: Someone.ann, id: Self.ids[0], action)], most: 9)[0].refusal
        }
        #expect(try write(.put(plan, .write), to: first) == nil)

        #expect(try write(.hold(at: 8, until: 20), to: second) == nil)

        #expect(try write(.hold(at: 9, until: 21), to: first) == .notWaiting)
        #expect(try write(.cancel, to: first) == .notWaiting)
        #expect(try write(.hold(at: 20, until: 30), to: first) == nil)
        #expect(try write(.finish, to: first) == nil)
        #expect(try second.later(of: [Someone.ann]) == [:])
    }
}

extension Result<StoredLater, LaterRefusal> {
    fileprivate var refusal: LaterRefusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
}
