import ChatRoom
import ChatWire
import Dispatch
import Foundation
import Locking
import RoomStore
import StoreEngine
import TestSupport
import Testing

@testable import PostgresStore

/// Which databases have which rooms, as they have recorded it.
@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct MapTests {
    @Test func eachShardBelongsToOnePart() {
        for parts in [1, 2, 3, 5, 7, 64, 1_000, 1_024] {
            let partition = Partition(parts: parts)

            let ranges = (0..<parts).map(partition.shards)

            #expect(ranges.flatMap { Array($0) } == Array(0..<Partition.shards), "\(parts)")
        }
        for number in 0..<1_000 {
            let (name, partition) = ("room \(number)", Partition(parts: 7))
            #expect(partition.shards(of: partition.part(of: name)).contains(Partition.shard(of: name)))
        }
    }

    @Test func aDatabaseRecordsItsPart() throws {
        let all = [try PostgresAddress.unused(), try PostgresAddress.unused(), try PostgresAddress.unused()]

        _ = try PostgresStore.open(all)

        let records = try all.map { try Self.database($0).records().current }
        #expect(Set(records.map { $0?.map }).count == 1)
        #expect(records.map { $0?.part } == [0, 1, 2] && records.allSatisfy { $0?.parts == 3 })
        let shards = try all.map { address in
            try ThrowawayPostgres.shared.get().query("SELECT first_shard, last_shard FROM \(address.schema).parts")
        }
        #expect(shards == ["0|341\n", "342|682\n", "683|1023\n"])
    }

    /// Every list of up to three of four databases, for every list that was recorded.
    @Test(arguments: [1, 2, 3]) func everyOtherListIsRefused(count: Int) throws {
        let all = [
            try PostgresAddress.unused(), try PostgresAddress.unused(), try PostgresAddress.unused(),
            try PostgresAddress.unused(),
        ]
        let right = Array(0..<count)
        _ = try PostgresStore.open(right.map { all[$0] })

        for wrong in Self.lists(of: 4, upTo: 3) where wrong != right && !Set(wrong).isDisjoint(with: right) {
            let refusal = #expect(throws: RoomStoreError.self, "\(wrong)") {
                try PostgresStore.open(wrong.map { all[$0] })
            }
            guard case .misplaced(let text) = refusal else {
                Issue.record("\(wrong): \(String(describing: refusal))")
                continue
            }
            #expect(text.contains(": name ") || text.contains(". Name "), "\(text)")
        }
        _ = try PostgresStore.open(right.map { all[$0] })
    }

    @Test func aDatabaseThatAnotherOneHasReplacedIsRefused() throws {
        let all = [try PostgresAddress.unused(), try PostgresAddress.unused(), try PostgresAddress.unused()]
        _ = try PostgresStore.open([all[0], all[1]])

        for list in [[all[0], all[2]], [all[2], all[1]]] {
            let refusal = #expect(throws: RoomStoreError.self) { try PostgresStore.open(list) }
            #expect(String(describing: refusal).contains("is not the database that it was"))
        }
    }

    /// Servers of earlier versions have filled them.
    @Test func aListThatContradictsTheRoomsIsRefusedByTheFirstServer() throws {
        let all = [try PostgresAddress.unused(), try PostgresAddress.unused()]
        let earlier = ShardedStore(try all.map { try PostgresStore($0) })
        _ = try earlier.commit((0..<20).map { .send($0, to: RoomName("room\($0)")!) })

        for wrong in [[all[1], all[0]], all + [try PostgresAddress.unused()]] {
            let refusal = #expect(throws: RoomStoreError.self) { try PostgresStore.open(wrong) }
            #expect(String(describing: refusal).contains("has the room or profile 'room"))
        }
        _ = try PostgresStore.open(all)
    }

    /// Servers that start together with different lists: all that serve have the same one.
    @Test(arguments: 0..<8) func oneListWins(round: Int) throws {
        let all = [try PostgresAddress.unused(), try PostgresAddress.unused(), try PostgresAddress.unused()]
        let lists = [[0, 1], [1, 0], [0], [1], [2, 0], [0, 1, 2]]
        let winners = Guarded<[Int: Int]>([:])

        DispatchQueue.concurrentPerform(iterations: 6) { place in
            let index = (place + round) % lists.count
            if (try? PostgresStore.open(lists[index].map { all[$0] })) != nil {
                winners.withLock { $0[index, default: 0] += 1 }
            }
        }

        let won = winners.withLock { $0.keys.map { lists[$0] } }
        #expect(!won.isEmpty)
        for (one, other) in won.flatMap({ one in won.map { (one, $0) } }) where one != other {
            #expect(Set(one).isDisjoint(with: other), "\(won)")
        }
        for list in lists {
            let starts = (try? PostgresStore.open(list.map { all[$0] })) != nil
            #expect(
                starts == (won.contains(list) || won.allSatisfy { Set($0).isDisjoint(with: list) }), "\(list) \(won)")
        }
    }

    /// `kill -9` after each transaction of the first recording.
    @Test(arguments: 0...5) func aRecordingThatIsCutOffLeavesOneList(steps: Int) throws {
        let all = [try PostgresAddress.unused(), try PostgresAddress.unused(), try PostgresAddress.unused()]
        for address in all { _ = try PostgresStore(address) }
        var isDone = false
        do {
            let databases = try all.map(Self.database)
            #expect(try PartDatabase.lock(databases))
            var claim = MapClaim(databases)
            for _ in 0..<steps { isDone = try claim.step() != nil }
        }
        #expect(!isDone)

        // The first database's record decides.
        let isDecided = steps > 2
        let other = [all[1], all[0], all[2]]
        #expect(((try? PostgresStore.open(other)) != nil) == !isDecided)
        #expect(((try? PostgresStore.open(all)) != nil) == isDecided)
    }

    /// Every list without repetitions.
    static func lists(of count: Int, upTo length: Int) -> [[Int]] {
        guard length > 0 else { return [] }
        let shorter = lists(of: count, upTo: length - 1)
        let longest = length == 1 ? [[]] : shorter.filter { $0.count == length - 1 }
        return shorter + longest.flatMap { list in (0..<count).filter { !list.contains($0) }.map { list + [$0] } }
    }

    static func database(_ address: PostgresAddress) throws -> PartDatabase {
        try PartDatabase(address, seeing: History())
    }
}
