import ChatRoom
import ChatWire
import Foundation
import Locking
import RoomStore

/// Follows what other servers commit: listens for their hints, and looks after every room that is live here once a
/// second, so that nothing rests on a hint.
final class Follower: Sendable {
    private struct State: Sendable {
        /// The rooms that are live here, and what was told of each last.
        var rooms: [RoomName: Revision] = [:]
        /// When each other server was heard of last.
        var heard: [ServerID: ContinuousClock.Instant] = [:]
        var receive: (@Sendable (News) -> Void)?
        var formatInForce: Int?
        var isEnded = false
    }

    private let address: PostgresAddress
    private let lease: Lease
    private let announcer: Announcer
    private let state = Guarded(State())

    private static let sweep = Duration.seconds(1)
    /// How long a server may be silent before its people have left.
    private static let silence = Duration.seconds(6)

    init(_ address: PostgresAddress, lease: Lease, announcer: Announcer) {
        self.address = address
        self.lease = lease
        self.announcer = announcer
    }

    func listen(_ receive: @escaping @Sendable (News) -> Void) {
        state.withLock { state in
            precondition(state.receive == nil, "already listening")
            state.receive = receive
        }
        Thread.detachNewThread { self.run() }
    }

    func follow(_ room: RoomName) {
        let isNew = state.withLock { $0.rooms.updateValue(0, forKey: room) == nil }
        if isNew { announcer.ask(about: room) }
    }

    func leave(_ room: RoomName) {
        state.withLock { $0.rooms[room] = nil }
    }

    /// The thread ends within a second.
    func end() {
        state.withLock { $0.isEnded = true }
    }

    private var isEnded: Bool { state.withLock { $0.isEnded } }

    private func run() {
        while !isEnded {
            do throws(PostgresFailure) {
                try follow(over: Connection(address, preparing: Query.following))
            } catch {
                Thread.sleep(forTimeInterval: 0.2)
            }
        }
    }

    /// Listens first, then looks: what is committed in between comes twice rather than never.
    private func follow(over connection: Connection) throws(PostgresFailure) {
        try connection.run([.run("LISTEN \"\(address.channel)\""), .run("SET synchronous_commit = off")])
        // What was told meanwhile is told again.
        state.withLock { state in for server in state.heard.keys { state.heard[server] = .now } }
        announcer.askAboutAll()
        var nextSweep = ContinuousClock.now
        while !isEnded {
            if ContinuousClock.now >= nextSweep {
                announcer.showLife()
                tell(formatInForce: try lease.renew(over: connection))
                try sweep(over: connection)
                dropTheSilent()
                nextSweep = .now + Self.sweep
            }
            for payload in try connection.notifications(until: nextSweep) {
                if let (sender, hint) = Hint.read(payload), sender != lease.server { take(hint, from: sender) }
            }
        }
        try lease.end(over: connection)
    }

    private func tell(formatInForce format: Int) {
        let receive = state.withLock { state in
            defer { state.formatInForce = format }
            return state.formatInForce == format ? nil : state.receive
        }
        receive?(.format(inForce: format, known: lease.knows))
    }

    private func take(_ hint: Hint, from sender: ServerID) {
        let receive = state.withLock { state in
            state.heard[sender] = .now
            return state.receive
        }
        switch hint {
        case .reached(let revisions): tell(Array(revisions))
        case .present(let rooms): for (room, people) in rooms { receive?(.present(sender, room, people)) }
        case .asked(let rooms): receive?(.asked(rooms))
        case .alive: break
        }
    }

    private func dropTheSilent() {
        let (silent, receive) = state.withLock { state in
            let silent = state.heard.filter { ContinuousClock.now - $0.value > Self.silence }.map(\.key)
            for server in silent { state.heard[server] = nil }
            return (silent, state.receive)
        }
        for server in silent { receive?(.lost(server)) }
    }

    private func sweep(over connection: Connection) throws(PostgresFailure) {
        let names = state.withLock { state in state.rooms.keys.map(\.description) }
        guard !names.isEmpty else { return }
        let answers = try connection.run([.run(.heads, .texts(names))])
        tell(
            try answers[0].rows.map { (row) throws(PostgresFailure) in
                guard let room = RoomName(row.text(0)) else { throw row.senseless(0) }
                return (key: room, value: try row.revision(1))
            })
    }

    /// Tells what is new of the rooms that are live here.
    private func tell(_ revisions: [(key: RoomName, value: Revision)]) {
        let (news, receive) = state.withLock { state in
            let news = revisions.filter { room, revision in
                guard let known = state.rooms[room], known < revision else { return false }
                state.rooms[room] = revision
                return true
            }
            return (news, state.receive)
        }
        for (room, revision) in news { receive?(.reached(room, revision)) }
    }
}
