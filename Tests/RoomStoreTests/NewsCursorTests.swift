import ChatRoom
import ChatWire
import TestSupport
import Testing

@testable import PostgresStore

/// News of other servers' commits, of which some is lost, late or sent twice.
struct NewsCursorTests {
    private static let servers = (0..<2).map { _ in ServerID.random() }

    /// A server's lane: its count in the database, and the commits whose news is still to be sent.
    private struct Writer {
        let server: ServerID
        let lane: Int
        var count: Int64 = 0
        var waiting: [Int64] = []

        /// Commits up to three times.
        ///
        /// - Returns: the numbers of the commits whose news is sent now, as one range or as several. The news of what was
        ///   committed before is among them.
        mutating func work(_ random: inout SplitMix64) -> [ClosedRange<Int64>] {
            let before = count
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                count += 1
                waiting.append(count)
            }
            var sent: [ClosedRange<Int64>] = []
            while let first = waiting.first, first <= before || Bool.random(using: &random) {
                let most = Int64(min(3, waiting.count))
                let range = first...first + Int64.random(in: 1...most, using: &random) - 1
                waiting.removeFirst(range.count)
                sent.append(range)
            }
            return sent
        }
    }

    private static func counts(of writers: [Writer]) -> [NewsCursor.Lane: Int64] {
        let counts = writers.filter { $0.count > 0 }.map {
            (NewsCursor.Lane(server: $0.server, number: $0.lane), $0.count)
        }
        return Dictionary(counts) { first, _ in first }
    }

    /// Commits become visible in any order between lanes; news comes late, twice or never.
    @Test(arguments: 0..<300) func lostNewsIsNoticedWithinThreeBeatsAndNothingElseIs(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var writers = Self.servers.flatMap { server in (1...2).map { Writer(server: server, lane: $0) } }
        for index in writers.indices { writers[index].count = Int64.random(in: 0...3, using: &random) }
        var cursor = NewsCursor(at: Self.counts(of: writers))
        let loses = Bool.random(using: &random)
        /// The beats since the oldest loss that was not noticed.
        var unnoticed: Int?

        for _ in 0..<60 {
            for index in writers.indices {
                for range in writers[index].work(&random) {
                    if loses, Int.random(in: 0..<20, using: &random) == 0 {
                        unnoticed = unnoticed ?? 0
                        continue
                    }
                    for _ in 0...Int.random(in: 0...1, using: &random)
                    where !cursor.handle([writers[index].lane: range], from: writers[index].server) {
                        #expect(loses)
                        unnoticed = nil
                    }
                }
            }
            if !cursor.handleHeartbeat(Self.counts(of: writers)) {
                #expect(loses)
                unnoticed = nil
            }
            if let beats = unnoticed {
                #expect(beats < 4)
                unnoticed = beats + 1
            }
        }
    }

    @Test func aHintHasTheNumbersOfCommits() {
        let hint = Announcement.committed([1: 3...7, 4: 9...9])
        let read = hint.payloads(from: Self.servers[0]).compactMap { Announcement.read($0) }

        #expect(read.count == 1 && read.first?.0 == Self.servers[0] && read.first?.1 == hint)
        for line in ["1\t5\t4", "1\t-1\t4", "x\t1\t2", "1\t1\t\(Int64.max)", "1\t2"] {
            #expect(Announcement.read("c \(Self.servers[0])\n\(line)")?.1 == .committed([:]))
        }
    }
}
