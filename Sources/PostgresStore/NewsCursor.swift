import ChatRoom
import ChatWire

/// A commit of one of a server's lanes, by its number. A lane's numbers have no gaps: see ``Query/witness``.
struct LaneCount: Equatable, Sendable {
    let lane: Int
    let count: Int64
}

/// This server's place in what the others have committed: a pure value.
///
/// Each commit counts in a row of its lane, in its transaction. In whatever order commits become visible, a lane's count is
/// that of its last one. A server sends the numbers of its commits with their news. So one read of the counts finds lost
/// news, for all rooms and lists: the database counts commits of which no news came.
struct NewsCursor: Sendable {
    struct Lane: Hashable, Sendable {
        let server: ServerID
        let number: Int
    }

    /// The number of each lane's last commit of which news came.
    private var known: [Lane: Int64]
    /// The counts that the database had at the last beats, oldest first.
    private var read: [[Lane: Int64]] = []

    /// The number of beats for which news may be under way.
    private static let grace = 2

    /// - Parameter counts: the database's, read while nothing is missed any more. The news before that is unknown.
    init(at counts: [Lane: Int64] = [:]) { known = counts }

    /// Handles the numbers of commits of which all news has come.
    ///
    /// - Returns: false if news of commits before them is lost.
    mutating func handle(_ commits: [Int: ClosedRange<Int64>], from server: ServerID) -> Bool {
        var isWhole = true
        for (number, range) in commits {
            let lane = Lane(server: server, number: number)
            let last = known[lane] ?? 0
            if range.lowerBound &- 1 > last { isWhole = false }
            known[lane] = max(last, range.upperBound)
        }
        return isWhole
    }

    /// Handles the counts that the database has at a beat.
    ///
    /// - Returns: false if news is lost.
    mutating func handleHeartbeat(_ counts: [Lane: Int64]) -> Bool {
        read.append(counts)
        guard read.count > Self.grace else { return true }
        var isWhole = true
        for (lane, count) in read.removeFirst() where known[lane] ?? 0 < count {
            isWhole = false
            known[lane] = count
        }
        return isWhole
    }
}

extension Answer {
    /// The counts of ``Query/counts``.
    var counts: [NewsCursor.Lane: Int64] {
        get throws(PostgresFailure) {
            var counts: [NewsCursor.Lane: Int64] = [:]
            for row in rows {
                guard let server = ServerID(row.text(0)) else { continue }
                counts[NewsCursor.Lane(server: server, number: Int(clamping: try row.integer(1)))] = try row.integer(2)
            }
            return counts
        }
    }
}
