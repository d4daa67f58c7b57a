import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

/// Every store, compared with the naive one after random histories.
struct HistoryTests {
    private let folder = TemporaryFolder()
    static let rooms = ["lobby", "kitchen", "attic"].map { RoomName($0)! }
    static let people = ["ann", "bob", "carl"].map { UserName($0)! }

    /// Low limits, so that they are reached.
    static let limits = {
        var limits = WireLimits()
        limits.reactions = 2
        limits.reactors = 2
        limits.reactionBytes = 67
        limits.pins = 3
        return limits
    }()

    @Test(arguments: StoreUnderTest.histories(200))
    func aRandomHistoryReadsAsTheNaiveStoreSays(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder, limits: Self.limits)
        var naive = Dictionary(uniqueKeysWithValues: Self.rooms.map { ($0, NaiveRoom(limits: Self.limits)) })

        for round in 0..<6 {
            let batch = Self.batch(round: round, using: &random)
            let verdicts = batch.map { naive[$0.room]!.apply($0.operation) }
            let outcomes = try store.commit(batch)
            try #require(outcomes.map(NaiveRoom.Verdict.init) == verdicts)
        }

        for (room, naive) in naive {
            try expect(store, room, toReadAs: naive, using: &random)
        }
    }

    func expect(
        _ store: any RoomStore, _ room: RoomName, toReadAs naive: NaiveRoom, using random: inout SplitMix64
    ) throws {
        for since in 0...naive.revision + 1 {
            let tail = Int.random(in: 0...30, using: &random)
            let atMost = Int.random(in: 0...30, using: &random)
            let found = try store.soundReading(of: room, tail: tail, since: since, atMost: atMost)
            let places = found.rules.configuration.pins.entries.map(\.place)
            #expect(found == naive.reading(tail: tail, since: since, atMost: atMost, pinnedAt: places))
        }
        #expect(try store.operations(room, since: 0, limit: .max) == naive.operations)
        for before in [0, 5, .max] as [Revision] {
            let limit = Int.random(in: 1...10, using: &random)
            #expect(try store.audit(room, before: before, limit: limit) == naive.audit(before: before, limit: limit))
        }
    }

    @Test(arguments: StoreUnderTest.histories(50))
    func theOperationsFoldToTheRows(kind: StoreUnderTest, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let store = try kind.make(in: folder, limits: Self.limits)
        for round in 0..<6 { _ = try store.commit(Self.batch(round: round, using: &random)) }

        for room in Self.rooms {
            let folded = try FoldedRoom(store.operations(room, since: 0, limit: .max), limits: Self.limits)
            let reading = try store.read(room, tail: .max - 1, since: nil, atMost: 0)
            #expect(reading.tail == folded.rows)
            #expect(reading.rules.standings == folded.rules.standings)
            for user in Self.people {
                #expect(try store.standing(of: user, in: room) == folded.rules.standing(of: user))
            }
            #expect(try store.memberships(of: Self.people, in: room).mapValues(\.settings) == folded.settings)
        }
    }

    // MARK: - Random operations

    /// Ids from a small set, so that repeats, conflicts and operations on deleted messages occur.
    static func batch(round: Int, using random: inout SplitMix64) -> [RoomOperation] {
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
            let action = action(using: &random)
            return .act(
                UInt64.random(in: 1...60, using: &random), action, by: people.randomElement(using: &random)!,
                as: [.none, .read, .write, .write, .write, .moderate, .own].randomElement(using: &random)!,
                in: rooms.randomElement(using: &random)!)
        }
    }

    private static func data(using random: inout SplitMix64) -> AppData? {
        [nil, nil, AppData("{}"), AppData(#"{"kind":"poll"}"#), AppData(#"{ "a": 1.0 }"#)].randomElement(
            using: &random)!
    }

    private static func action(using random: inout SplitMix64) -> RoomAction {
        let target = id(UInt64.random(in: 1...40, using: &random))
        let text = ["one", "two", ""].randomElement(using: &random)!
        switch Int.random(in: 0..<23, using: &random) {
        case 20...: return .grow(target, step(using: &random))
        case 18...: return .settings(settings(using: &random))
        case 14, 15, 16: return .join
        case 17: return .leave
        case 10...: return .moderate(moderation(using: &random))
        case 0..<5:
            let replied = Bool.random(using: &random) ? target : nil
            let data = data(using: &random)
            return .send(
                MessageContent(
                    text, replyTo: replied, mentions: mentions(using: &random),
                    data: data?.isEmpty == true ? nil : data, growth: Bool.random(using: &random) ? .open : nil))
        case 5:
            let data = data(using: &random)
            return data != nil && Bool.random(using: &random)
                ? .edit(target, ContentEdit(data: data))
                : .edit(target, ContentEdit(text, mentions: mentions(using: &random), data: data))
        case 6: return .delete(target)
        default:
            let emoji = ["👍", "👎", "🎉"].randomElement(using: &random)!
            return .react(target, emoji: emoji, Int.random(in: 0..<3, using: &random) > 0 ? .on : .off)
        }
    }
}

extension HistoryTests {
    /// Mostly nobody.
    static func mentions(using random: inout SplitMix64) -> Mentioned {
        let people = people.shuffled(using: &random).prefix(max(0, Int.random(in: -2...people.count, using: &random)))
        return Mentioned(Array(people), everyone: Int.random(in: 0..<4, using: &random) == 0)
    }

    /// Mostly a piece. Many name another size than the text has.
    static func step(using random: inout SplitMix64) -> GrowthStep {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .close([nil, .stopped, .failed].randomElement(using: &random)!)
        default: .append(["xy", "é"].randomElement(using: &random)!, at: [0, 2, 3, 5].randomElement(using: &random)!)
        }
    }

    /// With places that people take from each other, and ask for again.
    static func settings(using random: inout SplitMix64) -> SettingsChange {
        let pins: [SettingsChange.Pin?] = [.off, .at(1), .at(7), .at(SettingsChange.places.upperBound), nil, nil]
        let change = SettingsChange(
            pinned: pins.randomElement(using: &random)!, isMuted: [true, false, nil].randomElement(using: &random)!,
            isArchived: [true, false, nil].randomElement(using: &random)!,
            isMarked: [true, false, nil].randomElement(using: &random)!)
        return change == SettingsChange() ? settings(using: &random) : change
    }

    static func pinPlace(among ids: ClosedRange<UInt64> = 1...40, using random: inout SplitMix64) -> PinPlace {
        let other = id(UInt64.random(in: ids, using: &random))
        return [.last, .last, .before(other), .after(other)].randomElement(using: &random)!
    }

    private static func moderation(using random: inout SplitMix64) -> Moderation {
        let user = people.randomElement(using: &random)!
        switch Int.random(in: 0..<19, using: &random) {
        case 13: return .unpin(id(UInt64.random(in: 1...40, using: &random)))
        case 14...: return .pin(id(UInt64.random(in: 1...40, using: &random)), pinPlace(using: &random))
        case 11: return .topic([nil, RoomTopic("What we do")].randomElement(using: &random)!)
        case 12: return .picture([nil, Picture("https://a.example/p.png")].randomElement(using: &random)!)
        case 0: return .mute(user, for: Milliseconds.random(in: 1...30, using: &random))
        case 1: return .unmute(user)
        case 2: return .kick(user)
        case 3: return .ban(user)
        case 4, 5: return .unban(user)
        case 10: return .invite(user)
        case 9: return .title([nil, RoomTitle("Plans"), RoomTitle("日本 \"7\"")].randomElement(using: &random)!)
        case 6: return .slowMode([0, 0, 10].randomElement(using: &random)!)
        case 7: return .readOnly(Int.random(in: 0..<4, using: &random) == 0 ? .on : .off)
        default: return .appoint(user, Role.allCases.randomElement(using: &random)!)
        }
    }
}

extension NaiveRoom.Verdict {
    init(_ outcome: CommitOutcome) {
        switch outcome {
        case .committed(let revision, _): self = .committed(revision)
        case .repeated(let revision): self = .repeated(revision)
        case .conflict: self = .conflict
        case .refused: self = .refused
        }
    }
}
