import ChatRoom
import ChatWire
import RoomStore
import TestSupport
import Testing

@testable import SQLiteStore

private let second: Milliseconds = 1_000
private let day: Milliseconds = 86_400_000
private let year: Milliseconds = 365 * day

/// A clock that jumps: order, mutes, slow mode and retention are as if it had not, in every store.
struct WrongClockTests {
    /// What the clock does around a deed.
    enum Jump: CaseIterable, Sendable {
        /// It jumps ahead, or back, after the deed.
        case ahead, back
        /// It was ahead, or behind, when the deed was done, and is put right afterwards.
        case aheadMeanwhile, behindMeanwhile
        /// It was ahead when the deed was done, and is put right while the server is away.
        case aheadUntilTheRestart

        func before(_ size: Milliseconds) -> Milliseconds {
            switch self {
            case .ahead, .back: 0
            case .aheadMeanwhile, .aheadUntilTheRestart: size
            case .behindMeanwhile: -size
            }
        }

        func after(_ size: Milliseconds) -> Milliseconds {
            switch self {
            case .ahead: size
            case .back: -size
            case .aheadMeanwhile, .aheadUntilTheRestart, .behindMeanwhile: -before(size)
            }
        }
    }

    /// A server with a clock that jumps.
    struct Machine {
        let store: any RoomStore
        private var clock: Milliseconds = 30 * year
        private var elapsed: Milliseconds = 0
        private var time: StoreTime
        private var number: UInt64 = 0
        private var latest: (instant: Milliseconds, drift: Milliseconds) = (0, 0)

        init(_ store: any RoomStore) {
            self.store = store
            time = StoreTime(at: clock, elapsed: 0, lead: 0, after: 0)
        }

        mutating func pass(_ span: Milliseconds) {
            clock += span
            elapsed += span
        }

        mutating func jump(_ span: Milliseconds) { clock += span }

        mutating func restart() {
            time = StoreTime(at: clock, elapsed: elapsed, lead: latest.drift, after: latest.instant)
        }

        mutating func carryOut(_ jump: Jump, _ size: Milliseconds) {
            self.jump(jump.after(size))
            if jump == .aheadUntilTheRestart { restart() }
        }

        mutating func act(
            _ action: RoomAction, by author: UserName, as role: Role = .write, in room: RoomName = lobby
        ) throws -> CommitOutcome? {
            number += 1
            var operation = Operation(
                command: id(number), author: author, role: role, time: clock, action: action)
            operation.instant = time.instant(elapsed: elapsed)
            latest = (operation.instant, operation.drift)
            return try store.commit([RoomOperation(room: room, operation: operation)]).first
        }

        mutating func say(by author: UserName = Someone.bob, in room: RoomName = lobby) throws -> CommitOutcome? {
            try act(.send("hello"), by: author, in: room)
        }

        mutating func trim(_ retention: Retention) throws -> Int {
            let lead = time.instant(elapsed: elapsed) - clock
            for part in 0..<store.parts {
                var next = Trimming.Next.after(nil)
                while case .after(let room) = next {
                    next = try store.trim(retention, part: part, after: room, at: StoreMoment(clock, lead: lead)).next
                }
            }
            return try store.read(lobby, tail: 0, since: nil, atMost: 0).count
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let kind: StoreUnderTest
        let jump: Jump
        let size: Milliseconds
        var testDescription: String { "\(kind.rawValue), \(jump), \(size / 1_000) s" }

        static let all = StoreUnderTest.allCases.flatMap { kind in
            Jump.allCases.flatMap { jump in
                [5 * second, day, year].map { Case(kind: kind, jump: jump, size: $0) }
            }
        }
    }

    private let folder = TemporaryFolder()

    private func machine(_ kind: StoreUnderTest) throws -> Machine { Machine(try kind.make(in: folder)) }

    @Test(arguments: Case.all)
    func theRoomInWhichSomethingWasSaidLastComesFirst(row: Case) throws {
        var machine = try machine(row.kind)
        let rooms = ["first", "second", "third"].map { RoomName($0)! }
        for room in rooms {
            _ = try machine.act(.join, by: Someone.ann, in: room)
            machine.pass(1)
        }
        func order() throws -> [RoomName] {
            try machine.store.places(of: Someone.ann).sorted { $0.activity < $1.activity }.map(\.room)
        }

        _ = try machine.say(in: rooms[1])
        machine.jump(row.jump.before(row.size))
        machine.pass(1)
        _ = try machine.say(in: rooms[2])
        machine.carryOut(row.jump, row.size)
        machine.pass(1)
        _ = try machine.say(in: rooms[0])
        #expect(try order() == [rooms[1], rooms[2], rooms[0]])
        machine.pass(1)
        _ = try machine.say(in: rooms[1])
        #expect(try order() == [rooms[2], rooms[0], rooms[1]])
    }

    @Test(arguments: Case.all)
    func theMentionThatCameLastIsTheNewest(row: Case) throws {
        var machine = try machine(row.kind)
        let rooms = ["first", "second", "third"].map { RoomName($0)! }
        for room in rooms { _ = try machine.act(.join, by: Someone.ann, in: room) }
        func call(in room: RoomName) throws {
            machine.pass(1)
            _ = try machine.act(.send(MessageContent("@ann", mentions: [Someone.ann])), by: Someone.bob, in: room)
        }

        try call(in: rooms[1])
        machine.jump(row.jump.before(row.size))
        try call(in: rooms[2])
        machine.carryOut(row.jump, row.size)
        try call(in: rooms[0])
        try call(in: rooms[1])

        let all = try machine.store.mentions(of: Someone.ann, in: rooms, before: nil, limit: 9)
        #expect(all.map(\.room) == [rooms[1], rooms[2], rooms[0], rooms[1]])
        for (index, mention) in all.enumerated() {
            let place = MentionPlace(id: mention.id, time: mention.message.time)
            let spot = try machine.store.spot(of: place)
            #expect(spot.instant == mention.instant)
            for limit in [1, 9] {
                let page = try machine.store.mentions(of: Someone.ann, in: rooms, before: spot, limit: limit)
                #expect(page == all[..<index].suffix(limit))
            }
        }
    }

    @Test(arguments: Case.all)
    func aMuteLastsAsLongAsWasSaid(row: Case) throws {
        var machine = try machine(row.kind)
        machine.jump(row.jump.before(row.size))
        _ = try machine.act(.moderate(.mute(Someone.bob, for: 2 * second)), by: Someone.ann, as: .own)
        machine.carryOut(row.jump, row.size)

        machine.pass(2 * second - 2)
        guard case .refused(.muted(let rest)) = try machine.say() else {
            Issue.record("a muted person wrote")
            return
        }
        #expect((1...2).contains(rest))
        machine.pass(2)
        #expect(try machine.say()?.isCommitted == true)
    }

    @Test(arguments: Case.all)
    func slowModeLastsAsLongAsWasSaid(row: Case) throws {
        var machine = try machine(row.kind)
        _ = try machine.act(.moderate(.slowMode(10 * second)), by: Someone.ann, as: .own)
        machine.jump(row.jump.before(row.size))
        #expect(try machine.say()?.isCommitted == true)
        machine.carryOut(row.jump, row.size)

        machine.pass(10 * second - 2)
        guard case .refused(.tooSoon(let rest)) = try machine.say() else {
            Issue.record("slow mode was over too early")
            return
        }
        #expect((1...2).contains(rest))
        machine.pass(2)
        #expect(try machine.say()?.isCommitted == true)
    }

    @Test(arguments: Case.all)
    func messagesAreKeptForTheirDays(row: Case) throws {
        var machine = try machine(row.kind)
        let retention = Retention(.init(age: 30 * day))
        _ = try machine.say()
        machine.jump(row.jump.before(row.size))
        _ = try machine.say()
        #expect(try machine.trim(retention) == 2)
        machine.carryOut(row.jump, row.size)

        machine.pass(day)
        #expect(try machine.trim(retention) == 2)
        // By the clock a message may be younger, by as much as it has jumped.
        machine.pass(31 * day)
        #expect(try machine.trim(retention) == 0)
    }

    /// Nobody can tell a clock that is ahead from a server that was away for long, until the clock is put right.
    @Test(arguments: StoreUnderTest.allCases)
    func aServerThatWasStartedWithAClockAheadLosesNothingOnceItIsPutRight(kind: StoreUnderTest) throws {
        var machine = try machine(kind)
        let retention = Retention(.init(age: 30 * day))
        _ = try machine.say()
        machine.jump(year)
        machine.restart()
        _ = try machine.say()
        machine.jump(-year)

        machine.pass(day)
        #expect(try machine.trim(retention) == 2)
        machine.pass(30 * day)
        #expect(try machine.trim(retention) == 0)
    }

    // MARK: - Files

    /// What a file notes is enough for the next start.
    @Test(arguments: [0, day, year])
    func aFileGoesOnBehindTheInstantsThatItHas(drift: Milliseconds) throws {
        let path = folder.file("rooms.db")
        var operation = RoomOperation.send(1).at(.timeOfDay).operation
        operation.instant += drift
        do {
            let store = try SQLiteStore(path: path)
            _ = try store.commit([RoomOperation(room: lobby, operation: operation)])
        }

        let store = try SQLiteStore(path: path)
        let clock = try #require(store.clock(of: lobby))

        #expect(clock.now > operation.instant)
        #expect(clock.now < operation.instant + 60 * second)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func anOperationIsReadWithItsInstant(kind: StoreUnderTest) throws {
        let store = try kind.make(in: folder)
        var operation = RoomOperation.send(1).operation
        operation.instant += year
        _ = try store.commit([RoomOperation(room: lobby, operation: operation)])

        #expect(try store.operations(lobby, since: 0, limit: 1).map(\.operation) == [operation])
    }
}

extension CommitOutcome {
    fileprivate var isCommitted: Bool {
        if case .committed = self { true } else { false }
    }
}
