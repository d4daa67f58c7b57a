import ChatRoom
import ChatWire
import Foundation
import Locking
import RoomStore
import TestSupport
import Testing

@testable import PostgresStore

/// An acknowledged commit is on the standby, or every server hears that it is not. Real servers are crashed, promoted
/// and started again.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct OneHistoryTests {
    let primary: ThrowawayPostgres
    let standby: ThrowawayPostgres

    init() throws {
        primary = try ThrowawayPostgres(settings: [])
        standby = try ThrowawayPostgres(following: primary, settings: [])
    }

    /// Makes commits wait for the standby from now on.
    func replicateSynchronously() throws {
        try primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        try primary.query("SELECT pg_reload_conf()")
    }

    func open(_ servers: [ThrowawayPostgres]) throws -> PostgresStore {
        var patience = PostgresStore.Patience()
        (patience.writing, patience.reading) = (.seconds(3), .seconds(3))
        let hosts = servers.map(\.folder).joined(separator: ",")
        return try PostgresStore(
            PostgresAddress("postgres:///postgres?user=diffroom&host=\(hosts)"), patience: patience)
    }

    /// Sends until the database accepts it, and returns its revision.
    func send(_ number: UInt64, with store: PostgresStore) -> Revision? {
        while true {
            guard let outcomes = try? store.commit([.send(number)]) else { continue }
            switch outcomes[0] {
            case .committed(let revision, _), .repeated(let revision): return revision
            case .conflict, .refused: return nil
            }
        }
    }

    // MARK: - Repeats

    enum Ending: CaseIterable {
        case crash, restart, termination, cancellation
    }

    /// Whatever ends the wait for the standby, the primary has the commit then, and the standby has not.
    @Test(arguments: Ending.allCases)
    func whatNoStandbyHasIsNotAnsweredWhenItIsSentAgain(ending: Ending) throws {
        let store = try open([primary, standby])
        try replicateSynchronously()
        #expect(try store.commit([.send(1)]).map(\.revision) == [1])
        try standby.kill()
        #expect(throws: RoomStoreError.self) { try store.commit([.send(2)]) }

        try cutOff(by: ending)

        #expect(throws: RoomStoreError.self) { try store.commit([.send(2)]) }
        try standby.start()
        #expect(send(2, with: store) == 2)
        #expect(try store.read(lobby, tail: 9, since: nil, atMost: 0).revision == 2)
    }

    @Test(arguments: [Ending.crash, .termination])
    func aProfileThatNoStandbyHasIsNotAnsweredWhenItIsWrittenAgain(ending: Ending) throws {
        let store = try open([primary, standby])
        let change = ProfileChange(
            user: Someone.ann, profile: Profile(name: DisplayName("Ann"), picture: nil), source: .operator(1))
        try replicateSynchronously()
        try standby.kill()
        #expect(throws: RoomStoreError.self) { try store.write([change]) }

        try cutOff(by: ending)

        #expect(throws: RoomStoreError.self) { try store.write([change]) }
        try standby.start()
        while (try? store.write([change])) == nil {}
        #expect(try store.profiles(of: [Someone.ann]).values.map(\.profile) == [change.profile])
    }

    /// The pulse waits for the standby as every commit does, so the server notices that waits were cut off.
    @Test(arguments: [Ending.termination, .cancellation])
    func onceWaitsWereCutOffNothingIsReadBeforeTheStandbyIsBack(ending: Ending) throws {
        let store = try open([primary, standby])
        try replicateSynchronously()
        let news = Heard(store)
        _ = try store.commit([.send(1)])
        #expect(try store.read(lobby, tail: 9, since: nil, atMost: 0).revision == 1)
        try standby.kill()
        #expect(throws: RoomStoreError.self) { try store.commit([.send(2)]) }
        while try primary.query("SELECT count(*) > 1 \(waiting)") != "t\n" {}

        try cutOff(by: ending)

        while (try? store.read(lobby, tail: 9, since: nil, atMost: 0)) != nil {}
        try standby.start()
        #expect(send(2, with: store) == 2)
        #expect(try store.read(lobby, tail: 9, since: nil, atMost: 0).revision == 2)
        withExtendedLifetime(news) {}
    }

    private let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

    /// Ends the waits for the standby, so that everybody sees what only the primary has.
    private func cutOff(by ending: Ending) throws {
        switch ending {
        case .crash:
            try primary.kill()
            try primary.start()
        case .restart: try primary.restart()
        case .termination: try primary.query("SELECT pg_terminate_backend(pid) \(waiting)")
        case .cancellation: try primary.query("SELECT pg_cancel_backend(pid) \(waiting)")
        }
    }

    @Test func afterACrashNothingIsShownThatNoStandbyHas() throws {
        let store = try open([primary, standby])
        try replicateSynchronously()
        _ = try store.commit([.send(1)])
        #expect(try store.read(lobby, tail: 9, since: nil, atMost: 0).revision == 1)
        try standby.kill()
        #expect(throws: RoomStoreError.self) { try store.commit([.send(2)]) }
        try primary.kill()
        try primary.start()

        #expect(throws: RoomStoreError.self) { try store.read(lobby, tail: 9, since: nil, atMost: 0) }

        try standby.start()
        _ = send(3, with: store)
        #expect(try store.read(lobby, tail: 9, since: nil, atMost: 0).tail.map(\.id) == [id(1), id(2), id(3)])
    }

    @Test func whileTheStandbyIsAwayReadersReadAndNoConnectionsPileUp() throws {
        let store = try open([primary, standby])
        try replicateSynchronously()
        _ = try store.commit([.send(1)])
        #expect(try store.read(lobby, tail: 9, since: nil, atMost: 0).revision == 1)
        try standby.kill()

        for number in 2...4 as ClosedRange<UInt64> {
            #expect(throws: RoomStoreError.self) { try store.commit([.send(number)]) }
        }

        #expect(try store.read(lobby, tail: 9, since: nil, atMost: 0).revision == 1)
        let count = "SELECT count(*) < 8 FROM pg_stat_activity WHERE application_name = 'diffroomd'"
        #expect(try primary.query(count) == "t\n")
    }

    // MARK: - Epochs

    @Test func aPromotionThatLosesNothingKeepsTheEpoch() throws {
        let store = try open([primary, standby])
        try replicateSynchronously()
        _ = try store.commit([.send(1)])
        let epoch = store.epoch

        try primary.kill()
        try standby.promote()

        #expect(send(2, with: store) == 2)
        #expect(store.epoch == epoch)
    }

    @Test func aPromotionThatLosesWhatWasAcknowledgedBeginsAnEpochOnEveryServer() async throws {
        let (first, second) = (try open([primary, standby]), try open([primary, standby]))
        _ = try first.commit([.send(1)])
        let (epoch, news) = (second.epoch, Heard(second))
        standbyHas(1)
        try standby.kill()
        #expect(try first.commit([.send(2)]).map(\.revision) == [2])

        try primary.kill()
        try standby.start()
        try standby.promote()

        #expect(send(3, with: first) == 2)
        await news.wait { $0 == .renewed }
        #expect(first.epoch != epoch && second.epoch == first.epoch)
    }

    private func standbyHas(_ revision: Revision) {
        let question = "SELECT max(revision) FROM diffroom.rooms"
        #expect(Pause.polling { (try? standby.query(question)) == "\(revision)\n" })
    }

    /// Nobody knows the acknowledged commits of a server that ended with the primary.
    @Test func aServerThatDiedWithThePrimaryEndsTheEpoch() async throws {
        let store = try open([primary, standby])
        _ = try store.commit([.send(1)])
        try primary.query("INSERT INTO diffroom.servers VALUES('gone', 7, clock_timestamp() + interval '1 hour', 1)")
        try replicateSynchronously()
        _ = try store.commit([.send(2)])
        let (epoch, news) = (store.epoch, Heard(store))

        try primary.kill()
        try standby.promote()

        await news.wait { $0 == .renewed }
        #expect(store.epoch != epoch)
    }

    @Test func aServerThatEndedLongBeforeThePromotionKeepsTheEpoch() throws {
        let store = try open([primary, standby])
        try replicateSynchronously()
        try primary.query("INSERT INTO diffroom.servers VALUES('gone', 7, clock_timestamp() - interval '2 minutes', 1)")
        let epoch = store.epoch
        let news = Heard(store)
        while try primary.query("SELECT id FROM diffroom.servers WHERE id = 'gone'") != "" {}
        _ = try store.commit([.send(1)])

        try primary.kill()
        try standby.promote()

        #expect(send(2, with: store) == 2)
        #expect(store.epoch == epoch)
        withExtendedLifetime(news) {}
    }

    /// The rooms of a writer may be silent for weeks, while another server reviews the database.
    @Test func aWriterThatWasIdleForAWeekGoesOnInTheSameEpoch() throws {
        let (store, other) = (try open([primary]), try open([primary]))
        _ = try store.commit([.send(1)])
        let epoch = store.epoch
        let pulses = "SELECT count(*) FROM diffroom.witnesses WHERE lane = 0"
        let news = Heard(store)
        while try primary.query(pulses) != "1\n" {}
        try primary.query("UPDATE diffroom.witnesses SET time = time - interval '8 days' WHERE lane > 0")

        let others = Heard(other)
        while try primary.query(pulses) != "2\n" {}

        #expect(try store.commit([.send(2)]).map(\.revision) == [2])
        #expect(store.epoch == epoch)
        withExtendedLifetime((news, others)) {}
    }

    /// A copy of the files, like a snapshot of the disk, has the same timeline.
    @Test func anEarlierStateOfTheSameDatabaseBeginsAnEpoch() throws {
        let store = try open([primary])
        _ = try store.commit([.send(1)])
        let epoch = store.epoch
        try primary.stop()
        try primary.copyData(to: "before")
        try primary.start()
        #expect(send(2, with: store) == 2)

        try primary.stop()
        try primary.takeData(from: "before")
        try primary.start()

        #expect(send(3, with: store) == 2)
        #expect(store.epoch != epoch)
    }

    @Test func anEpochThatAnOperatorBeginsIsHeardOfAtOnce() async throws {
        let store = try open([primary])
        _ = try store.commit([.send(1)])
        let (epoch, news) = (store.epoch, Heard(store))

        let next = try PostgresStore.beginEpoch(at: PostgresAddress(primary.address)).epoch

        await news.wait { $0 == .renewed }
        #expect(store.epoch == next && next != epoch)
        #expect(send(2, with: store) == 2)
    }

    // MARK: - Old primaries

    @Test func anOldPrimaryThatRunsAgainIsUsedByNobody() async throws {
        let first = try open([primary, standby])
        try replicateSynchronously()
        _ = try first.commit([.send(1)])
        try primary.kill()
        try standby.promote()
        #expect(send(2, with: first) == 2)
        let news = Heard(first)

        try primary.start()
        try primary.query("ALTER SYSTEM RESET synchronous_standby_names")
        try primary.query("SELECT pg_reload_conf()")
        let second = try open([primary, standby])

        #expect(try second.commit([.send(3)]).map(\.revision) == [3])
        #expect(second.epoch == first.epoch)
        // This includes servers that know no other machine.
        await news.wait { if case .warned(let what, _) = $0 { what.contains("old primary") } else { false } }
        #expect(throws: RoomStoreError.self) { try open([primary]).commit([.send(4)]) }
        #expect(try primary.query("SELECT max(revision) FROM diffroom.rooms") == "1\n")
    }
}
