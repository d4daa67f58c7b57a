import ChatRoom
import ChatWire
import Dispatch
import Foundation
import Locking

/// Tells the other servers of commits, profiles, memberships and the people here, over a connection of its own that waits for no disk.
/// While one message is under way, the next one gathers.
///
/// It delays no commit. A NOTIFY within the transaction would lock the whole database until the transaction is durable,
/// and the servers' commits would wait for each other.
final class Announcer: Sendable {
    private struct Gathering: Sendable {
        var sent = SentMessages()
        var reached: [RoomName: Revision] = [:]
        var people: [RoomName: [UserName: Presence]] = [:]
        var requestedRooms: Set<RoomName> = []
        var rewritten: Set<UserName> = []
        var moved: Set<UserName> = []
        var affiliates: [RoomName: Set<UserName>] = [:]
        /// The commits whose news is among this.
        var commits: [Int: ClosedRange<Int64>] = [:]
        var requestsAll = false
        var requestedServers: Set<ServerID> = []
        var isAlive = false
        var isSending = false

        var isEmpty: Bool {
            sent.epoch == nil && reached.isEmpty && people.isEmpty && rewritten.isEmpty && moved.isEmpty
                && affiliates.isEmpty
                && commits.isEmpty && requestedRooms.isEmpty
                && !requestsAll && requestedServers.isEmpty && !isAlive
        }

        var announcements: [Announcement] {
            var announcements: [Announcement] = []
            if let epoch = sent.epoch { announcements.append(.sent(sent.rooms, of: epoch)) }  // before the revisions
            if !reached.isEmpty { announcements.append(.reached(reached)) }
            if !people.isEmpty { announcements.append(.present(people.mapValues { Array($0.values) })) }
            if !rewritten.isEmpty { announcements.append(.rewritten(Array(rewritten))) }
            if !moved.isEmpty { announcements.append(.membershipsChanged(Array(moved))) }
            if !affiliates.isEmpty { announcements.append(.affiliatesChanged(affiliates)) }
            if !commits.isEmpty { announcements.append(.committed(commits)) }  // behind the news
            if requestsAll {
                announcements.append(.presenceRequested(nil))
            } else if !requestedRooms.isEmpty {
                announcements.append(.presenceRequested(Array(requestedRooms)))
            }
            if !requestsAll { announcements += requestedServers.map { .presenceRequestedFrom($0) } }
            if isAlive { announcements.append(.alive) }
            return announcements
        }

        /// Keeps a gap in the numbers: only the last commits without one are named.
        mutating func note(_ count: LaneCount?) {
            guard let count else { return }
            let before = commits[count.lane]
            let first = before?.upperBound == count.count &- 1 ? before?.lowerBound : nil
            commits[count.lane] = (first ?? count.count)...count.count
        }

        /// Requeues news that could not be sent. Revisions, profiles, memberships and signs of life are dropped: the gap in
        /// the numbers of commits shows that, and the next sign replaces the last.
        mutating func requeue(_ earlier: Gathering) {
            for (room, known) in earlier.people { people[room] = known.merging(people[room] ?? [:]) { $1 } }
            requestedRooms.formUnion(earlier.requestedRooms)
            requestsAll = requestsAll || earlier.requestsAll
            requestedServers.formUnion(earlier.requestedServers)
        }
    }

    private let address: PostgresAddress
    private let server: ServerID
    private let history: History
    private let gathering = Guarded(Gathering())
    /// The time at which another server last sent something.
    private let contact = Guarded<ContinuousClock.Instant?>(nil)
    private let link = Guarded<AnnouncerLink?>(nil)
    private let queue = DispatchQueue(label: "diffroom.announce", qos: .userInitiated)

    init(_ failoverCheck: FailoverCheck) {
        address = failoverCheck.address
        server = failoverCheck.lease.server
        history = failoverCheck.history
    }

    /// The time without contact after which messages are no longer sent: there may be no other server.
    private static let silence = Duration.seconds(6)

    // MARK: - Any thread; each returns at once

    /// Notes that another server is there.
    func noteContact() {
        contact.withLock { $0 = .now }
    }

    func announce(_ people: [Presence], in room: RoomName) {
        gather { gathering in
            for presence in people { gathering.people[room, default: [:]][presence.name] = presence }
        }
    }

    func announce(rewriting users: Set<UserName>, of count: LaneCount) {
        gather {
            $0.rewritten.formUnion(users)
            $0.note(count)
        }
    }

    /// Tells all news of a commit.
    ///
    /// - Parameters:
    ///   - messages: the new messages among the changes.
    ///   - users: those whose memberships or read marks have changed.
    ///   - affiliates: those whose memberships, invitations or roles in a room have changed.
    ///   - count: `nil` for a transaction that was rolled back.
    func announce(
        _ revisions: [RoomName: Revision], _ messages: SentMessages = SentMessages(),
        membershipsOf users: Set<UserName>, _ affiliates: [RoomName: Set<UserName>] = [:],
        of count: LaneCount?
    ) {
        let hasContact = contact.withLock { $0.map { $0 + Self.silence > .now } ?? false }
        gather {
            if hasContact { $0.sent.add(messages) }
            $0.reached.merge(revisions) { max($0, $1) }
            $0.moved.formUnion(users)
            $0.affiliates.merge(affiliates) { $0.union($1) }
            $0.note(count)
        }
    }

    func requestPresence(about room: RoomName) {
        gather { $0.requestedRooms.insert(room) }
    }

    func requestAllPresence() {
        gather { $0.requestsAll = true }
    }

    /// Requests the people in all rooms of a server.
    func requestPresence(_ server: ServerID) {
        gather { $0.requestedServers.insert(server) }
    }

    func showLife() {
        gather { $0.isAlive = true }
    }

    private func gather(_ change: (inout Gathering) -> Void) {
        let starts = gathering.withLock { gathering in
            change(&gathering)
            defer { gathering.isSending = true }
            return !gathering.isSending
        }
        if starts { queue.async { self.sendAll() } }
    }

    // MARK: - On the queue

    private func sendAll() {
        while let next = next() {
            if send(next) { continue }
            gathering.withLock { $0.requeue(next) }
            Thread.sleep(forTimeInterval: 0.5)
        }
    }

    private func next() -> Gathering? {
        gathering.withLock { gathering in
            guard !gathering.isEmpty else {
                gathering.isSending = false
                return nil
            }
            defer { gathering = Gathering(isSending: true) }
            return gathering
        }
    }

    /// Sends the gathered news, and returns whether that worked.
    private func send(_ gathered: Gathering) -> Bool {
        link.withLock { link in
            do throws(PostgresFailure) {
                let current = if let link { link } else { try AnnouncerLink(address, history) }
                link = nil
                try current.notify(gathered.announcements.flatMap { $0.payloads(from: server) })
                link = current
                return true
            } catch {
                return false
            }
        }
    }
}

/// Messages that were committed in one epoch, for the other servers.
///
/// - Shape: those of a room in the order of their revisions; at most ``most``. The other servers read those that are left out.
struct SentMessages: Sendable {
    private(set) var rooms: [RoomName: [InsertedMessage]] = [:]
    /// `nil` if there are none.
    private(set) var epoch: Epoch?
    private var count = 0

    init() {}

    private init(epoch: Epoch) { self.epoch = epoch }

    private static let most = 1_000

    mutating func add(_ message: InsertedMessage, to room: RoomName, of epoch: Epoch) {
        if self.epoch != epoch { self = SentMessages(epoch: epoch) }
        guard count < Self.most else { return }
        count += 1
        let place = rooms[room]?.lastIndex { $0.row.rev < message.row.rev }.map { $0 + 1 } ?? 0
        rooms[room, default: []].insert(message, at: place)
    }

    mutating func add(_ later: SentMessages) {
        guard let epoch = later.epoch else { return }
        for (room, messages) in later.rooms { for message in messages { add(message, to: room, of: epoch) } }
    }
}

/// The announcer's connection.
final class AnnouncerLink: @unchecked Sendable {
    // @unchecked: it is used under the announcer's lock only.
    private let connection: Connection
    private let history: History
    private let channel: String

    init(_ address: PostgresAddress, _ history: History) throws(PostgresFailure) {
        channel = address.channel
        self.history = history
        connection = try Connection.open(address, seeing: history, preparing: [.notify])
        try connection.run([.run("SET synchronous_commit = off")])
    }

    /// - Errors: `stale` when the servers went on with another copy, where they listen now.
    func notify(_ payloads: [String]) throws(PostgresFailure) {
        try history.admit(connection.origin)
        try connection.run(payloads.map { .run(.notify, .text(channel), .text($0)) })
    }
}
