import ChatRoom
import ChatWire
import RoomStore
import SQLiteStore
import TestSupport
import Testing

/// A committing process is killed at any moment; everything that it was told is durable.
struct CrashTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }

    @Test(arguments: UInt64(1)...5)
    func whatWasAcknowledgedSurvivesKill9(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var acknowledged: Set<String> = []

        for life in 1...5 as ClosedRange<UInt64> {
            let fixture = try Fixture("commit", path, "\(seed << 8 | life)")
            for _ in 0..<Int.random(in: 1...400, using: &random) { acknowledged.insert(try #require(fixture.line())) }
            fixture.kill()
            acknowledged.formUnion(fixture.lines())

            try expectToFind(acknowledged)
        }
    }

    /// A process that is killed in a step has done the whole step, or nothing of it.
    @Test(arguments: UInt64(1)...5)
    func aTrimmedRoomIsWholeAfterKill9(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var acknowledged: Set<String> = []

        for life in 1...5 as ClosedRange<UInt64> {
            let fixture = try Fixture("trim", path, "\(seed << 8 | life)")
            for _ in 0..<Int.random(in: 100...400, using: &random) {
                acknowledged.insert(try #require(fixture.line()))
            }
            fixture.kill()
            acknowledged.formUnion(fixture.lines())

            let store = try SQLiteStore(path: path)
            var kept: Set<String> = []
            for room in ["lobby", "kitchen"].map({ RoomName($0)! }) {
                let operations = try store.operations(room, since: 0, limit: .max)
                kept.formUnion(operations.map { "\(room) \($0.revision) \($0.operation.command.low)" })
                let reading = try store.read(room, tail: .max - 1, since: nil, atMost: 0)
                #expect(reading.start > 0 && reading.tail.count == reading.count && reading.count <= 20 + 6)
                #expect(reading.tail == (try FoldedRoom(operations)).rows.filter { $0.sort >= reading.start })
                #expect(reading.revision >= operations.last?.revision ?? 0)
            }
            #expect(kept.isSuperset(of: acknowledged), "lost: \(acknowledged.subtracting(kept))")
        }
    }

    private func expectToFind(_ acknowledged: Set<String>) throws {
        let store = try SQLiteStore(path: path)
        var kept: Set<String> = []
        for room in ["lobby", "kitchen"].map({ RoomName($0)! }) {
            let operations = try store.operations(room, since: 0, limit: .max)
            kept.formUnion(operations.map { "\(room) \($0.revision) \($0.operation.command.low)" })
            #expect(operations.map(\.revision) == Array(1..<Revision(operations.count + 1)), "a gap in \(room)")
            #expect(Set(operations.map(\.operation.command)).count == operations.count, "a command twice in \(room)")
            let reading = try store.read(room, tail: .max - 1, since: nil, atMost: 0)
            #expect(reading.tail.count == reading.count && Int(reading.revision) == operations.count)
            let folded = try FoldedRoom(operations)
            #expect(reading.tail == folded.rows)
            let ann = try store.memberships(of: [Someone.ann], in: room)[Someone.ann]
            #expect(ann?.settings == folded.settings[Someone.ann])
            if let ann { #expect(ann.unread == folded.rows.count { $0.sort > ann.read }) }
        }
        #expect(kept.isSuperset(of: acknowledged), "lost: \(acknowledged.subtracting(kept))")
    }
}
