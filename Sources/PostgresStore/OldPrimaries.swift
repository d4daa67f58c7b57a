import Foundation
import Locking
import RoomStore

/// Searches all machines of the address for copies of the database that take writes beside the one that the servers
/// use.
///
/// The servers go over to a later copy. An earlier copy is marked as such, and every server that reaches it reads the
/// mark.
final class OldPrimaries: Sendable {
    private let failoverCheck: FailoverCheck
    private let isEnded = Guarded(false)
    /// The copies that the operator was warned of.
    private let known = Guarded<Set<String>>([])

    private static let rest = 5.0
    private static let patience = Duration.seconds(3)

    init(_ failoverCheck: FailoverCheck) {
        self.failoverCheck = failoverCheck
    }

    /// Begins to search again and again; with one machine there is nothing to find.
    func start() {
        guard failoverCheck.address.hosts.count > 1 else { return }
        Thread.detachNewThread { self.run() }
    }

    func end() {
        isEnded.withLock { $0 = true }
    }

    private func run() {
        while !isEnded.withLock({ $0 }) {
            for (connection, timeline) in search() { fence(connection, below: timeline) }
            Thread.sleep(forTimeInterval: Self.rest)
        }
    }

    /// Searches once. The history has seen the latest copy afterwards.
    ///
    /// - Returns: the earlier copies.
    @discardableResult
    func search() -> [(connection: Connection, timeline: Int64)] {
        guard failoverCheck.address.hosts.count > 1 else { return [] }
        let history = failoverCheck.history
        let open = failoverCheck.address.hosts.compactMap { host in
            try? Connection(failoverCheck.address, to: host, within: Self.patience, until: .now + Self.patience)
        }
        for connection in open { try? history.admit(connection.origin) }
        let timeline = history.timeline
        return open.filter { $0.origin.system == history.system && $0.origin.timeline < timeline }.map {
            ($0, timeline)
        }
    }

    private func fence(_ connection: Connection, below timeline: Int64) {
        _ = try? connection.run([
            .run("SET synchronous_commit = off"), .run(Query.raiseFence.sql, .integer(timeline)),
        ])
        let host = connection.origin.host
        guard known.withLock({ $0.insert(host).inserted }) else { return }
        failoverCheck.history.publish(
            .warned(
                "an old primary runs: no server uses it", why: "\(host): make it a standby of the new one, or stop it"))
    }
}
