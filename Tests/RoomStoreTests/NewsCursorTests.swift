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
    }

    /// Commits become visible in any order between lanes; news comes late, twice or never.
    @Test(arguments: 0..<300) func lostNewsIsNoticedWithinThreeBeatsAndNothingElseIs(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var writers = Self.servers.flatMap { server in (1...2).map { Writer(server: server, lane: $0) } }
        func counts() -> [NewsCursor.Lane: Int64] {
            Dictionary(
                writers.filter { $0.count > 0 }.map {
                    (NewsCursor.Lane(server: $0.server, number: $0.lane), $0.count)
                }
            ) { first, _ in first }
        }
        for index in writers.indices { writers[index].count = Int64.random(in: 0...3, using: &random) }
        var cursor = NewsCursor(at: counts())
        let loses = Bool.random(using: &random)
        /// The beats since the oldest loss that was not noticed.
        var unnoticed: Int?

        for _ in 0..<60 {
            for index in writers.indices {
                let before = writers[index].count
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    writers[index].count += 1
                    writers[index].waiting.append(writers[index].count)
                }
                // The news of what was committed before the last beat is sent by now, as one range or as several.
                while let first = writers[index].waiting.first, first <= before || Bool.random(using: &random) {
                    let most = min(3, writers[index].waiting.count)
                    let range = first...first + Int64.random(in: 1...Int64(most), using: &random) - 1
                    writers[index].waiting.removeFirst(range.count)
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
            if !cursor.handleBeat(counts()) {
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
        let hint = Hint.committed([1: 3...7, 4: 9...9])
        let read = hint.payloads(from: Self.servers[0]).compactMap { Hint.read($0) }

        #expect(read.count == 1 && read.first?.0 == Self.servers[0] && read.first?.1 == hint)
        for line in ["1\t5\t4", "1\t-1\t4", "x\t1\t2", "1\t1\t\(Int64.max)", "1\t2"] {
            #expect(Hint.read("c \(Self.servers[0])\n\(line)")?.1 == .committed([:]))
        }
    }
}
