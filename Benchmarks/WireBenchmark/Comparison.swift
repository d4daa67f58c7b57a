import ChatWire
import FoundationEssentials
import Glibc
import Replicas

/// Measures and prints, one line per frame and direction.
struct Comparison {
    let rounds: Int

    /// - Parameter frame: the bytes of the frame.
    func compare<Mirror: Codable>(
        _ name: String, _ frame: [UInt8], _: Mirror.Type, decode: ([UInt8]) throws -> Void, encode: () -> [UInt8]
    ) throws {
        let data = Data(frame)
        let decoder = JSONDecoder()
        let encoder = JSONEncoder()
        let mirror = try decoder.decode(Mirror.self, from: data)
        report(
            "\(name): read \(frame.count) bytes",
            ours: try nanoseconds { try decode(frame) },
            foundation: try nanoseconds { blackHole(try decoder.decode(Mirror.self, from: data)) })
        report(
            "\(name): write",
            ours: try nanoseconds { blackHole(encode()) },
            foundation: try nanoseconds { blackHole(try encoder.encode(mirror)) })
    }

    /// Measures a reader's work for each row that arrives: decoding and applying.
    func replica() throws {
        guard case .snapshot(_, _, let snapshot as ServerFrame.Snapshot<Message>) = Samples.snapshot,
            case .diff(_, _, let epoch, var diff as ListDiff<Message>) = Samples.diff
        else { return }
        var replica = try Replica(snapshot)
        var digest = ListDigest(replica.rows.suffix(ListDigest.window))
        let template = diff.insertions[0]
        var applied = 0
        let spent = try nanoseconds {
            let next = replica.revision + 1
            applied += 1
            (diff.from, diff.to) = (next - 1, next)
            diff.insertions = [
                Message(
                    id: UniqueID(high: 1, low: next), section: .socket, sort: next, rev: next,
                    author: template.author, time: template.time, content: MessageContent(template.text))
            ]
            digest.remove(replica.rows[replica.rows.count - ListDigest.window])
            digest.add(diff.insertions[0])
            diff.proof = ListProof(count: replica.count + 1, digest: digest.value)
            try replica.apply(diff, epoch: epoch)
        }
        print("apply a diff of one row, \(applied) in a row, proof made and checked: \(Int(spent)) ns")
    }

    private func report(_ name: String, ours: Double, foundation: Double) {
        let ratio = Int(foundation / ours * 10 + 0.5)
        print("\(name): \(Int(ours)) ns; Foundation \(Int(foundation)) ns, \(ratio / 10).\(ratio % 10) times that")
    }

    /// Returns the median of the rounds, each long enough that the clock's precision does not matter.
    private func nanoseconds(_ work: () throws -> Void) throws -> Double {
        var results: [Double] = []
        for _ in 0..<rounds {
            var count = 0
            let start = cpuNanoseconds()
            var elapsed = 0
            while elapsed < 60_000_000 {
                for _ in 0..<64 { try work() }
                count += 64
                elapsed = cpuNanoseconds() - start
            }
            results.append(Double(elapsed) / Double(count))
        }
        return results.sorted()[results.count / 2]
    }
}

/// The CPU time of the calling thread, which excludes other work of the machine.
private func cpuNanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Keeps the optimizer from removing the work for `value`.
@inline(never)
private func blackHole<Value>(_ value: Value) {}
