import Foundation
import Locking
import RoomStore

/// Looks, on all machines that the address names, for copies of the database that write beside the one that the servers are
/// on: a later one is gone over to, and an earlier one is told so, for every server that comes there reads it.
final class OldPrimaries: Sendable {
    private let review: Review
    private let isEnded = Guarded(false)
    /// Those that were warned of.
    private let known = Guarded<Set<String>>([])

    private static let rest = 5.0
    private static let patience = Duration.seconds(3)

    init(_ review: Review) {
        self.review = review
    }

    /// Looks again and again from now on; where there is but one machine there is nothing to look for.
    func start() {
        guard review.address.hosts.count > 1 else { return }
        Thread.detachNewThread { self.run() }
    }

    func end() {
        isEnded.withLock { $0 = true }
    }

    private func run() {
        while !isEnded.withLock({ $0 }) {
            for (connection, timeline) in look() { fence(connection, below: timeline) }
            Thread.sleep(forTimeInterval: Self.rest)
        }
    }

    /// Looks once: what it has seen afterwards is the latest.
    ///
    /// - Returns: the earlier copies.
    @discardableResult
    func look() -> [(connection: Connection, timeline: Int64)] {
        guard review.address.hosts.count > 1 else { return [] }
        let history = review.history
        let open = review.address.hosts.compactMap { host in
            try? Connection(review.address, to: host, until: .now + Self.patience)
        }
        for connection in open { try? history.admit(connection.origin) }
        let timeline = history.timeline
        return open.filter { $0.origin.system == history.system && $0.origin.timeline < timeline }.map {
            ($0, timeline)
        }
    }

    private func fence(_ connection: Connection, below timeline: Int64) {
        _ = try? connection.run([
            .run("SET synchronous_commit = off"), .run(Query.raiseFence.rawValue, .integer(timeline)),
        ])
        let host = connection.origin.host
        guard known.withLock({ $0.insert(host).inserted }) else { return }
        review.history.tell(
            .warned(
                "an old primary runs: no server uses it", why: "\(host): make it a standby of the new one, or stop it"))
    }
}
