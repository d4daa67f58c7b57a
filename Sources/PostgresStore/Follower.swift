import ChatRoom
import ChatWire
import Dispatch
import Foundation
import Locking
import RoomStore

/// Follows the commits of other servers: it listens for their hints, and finds with one read a second whether it missed
/// some. Then the revision of every room that is live here is read, so that nothing depends on a hint.
final class Follower: Sendable {
    /// A room that is live here.
    private struct FollowedRoom: Sendable {
        /// The last one that was found in the database.
        var revision: Revision = 0
        /// True until the database is asked for the revision: hints about the room may have been missed.
        var isInvalid = true
        /// The last revision of which the message came, so that its announcement says nothing new.
        var carried: Revision = 0
        var isAskedAbout = false

        var forgotten: FollowedRoom { FollowedRoom(isAskedAbout: isAskedAbout) }
    }

    private struct State: Sendable {
        var rooms: [RoomName: FollowedRoom] = [:]
        var detector = FailureDetector(silence: Follower.silence, step: Follower.rest)
        var handler: (@Sendable (News) -> Void)?
        var formatInForce: Int?
        var clockOffset = Duration.zero
        var cursor = NewsCursor()
        var clockIsWrong = false
        var isListening = false
        var timeKeeper: TimeKeeper
        var isEnded = false

        /// - Returns: whether it was listening.
        mutating func stopListening() -> Bool {
            defer { isListening = false }
            return isListening
        }
    }

    private let address: PostgresAddress
    private let lease: Lease
    private let history: History
    private let announcer: Announcer
    private let clock: StoreClock
    private let state: Guarded<State>
    private let hasEnded = DispatchSemaphore(value: 0)

    private static let rest = Duration.seconds(1)
    /// The time of silence after which a server's people count as gone.
    private static let silence = Duration.seconds(6)

    init(_ failoverCheck: FailoverCheck, announcer: Announcer, _ time: (clock: StoreClock, keeper: TimeKeeper)) {
        clock = time.clock
        state = Guarded(State(timeKeeper: time.keeper))
        address = failoverCheck.address
        lease = failoverCheck.lease
        history = failoverCheck.history
        self.announcer = announcer
    }

    func listen(_ handler: @escaping @Sendable (News) -> Void) {
        state.withLock { state in
            precondition(state.handler == nil, "already listening")
            state.handler = handler
        }
        Thread.detachNewThread { self.run() }
    }

    /// Forgets the rooms' revisions, which are of another epoch.
    func forgetHeads() {
        state.withLock { state in for room in state.rooms.keys { state.rooms[room] = state.rooms[room]?.forgotten } }
    }

    func follow(_ room: RoomName, withPeople: Bool) {
        let asks = state.withLock { state in
            let isAskedAbout = state.rooms[room]?.isAskedAbout == true
            state.rooms[room] = FollowedRoom(isAskedAbout: isAskedAbout || withPeople)
            return withPeople && !isAskedAbout
        }
        if asks { announcer.requestPresence(about: room) }
    }

    func leave(_ room: RoomName) {
        state.withLock { $0.rooms[room] = nil }
    }

    /// Ends the thread within a second.
    func end() {
        state.withLock { $0.isEnded = true }
    }

    /// Ends the thread, and with it the server's lease, and waits for that.
    func close() {
        end()
        guard state.withLock({ $0.handler != nil }) else { return }
        _ = hasEnded.wait(timeout: .now() + 2)
    }

    private var isEnded: Bool { state.withLock { $0.isEnded } }

    private func run() {
        while !isEnded {
            do throws(PostgresFailure) {
                try follow(over: Connection.open(address, seeing: history, preparing: Query.following))
            } catch {
                // The lists are to show that the database does not answer.
                if state.withLock({ $0.stopListening() }) { invalidateAll() }
                Thread.sleep(forTimeInterval: 0.2)
            }
        }
        hasEnded.signal()
    }

    /// Listens first and then looks, so that a commit in between is seen twice and not missed.
    private func follow(over connection: Connection) throws(PostgresFailure) {
        try connection.run([.run("LISTEN \"\(address.channel)\""), .run("SET synchronous_commit = off")])
        catchUp()
        let counts = try self.counts(over: connection)
        state.withLock { ($0.cursor, $0.isListening) = (NewsCursor(at: counts), true) }
        invalidateAll()
        var (last, next) = (ContinuousClock.now, ContinuousClock.now)
        while !isEnded {
            for payload in try connection.notifications(until: next) {
                if Announcement.isOwn(payload, of: lease.server) { continue }
                if let (sender, announcement) = Announcement.read(payload) { handle(announcement, from: sender) }
            }
            if ContinuousClock.now >= next {
                try history.admit(connection.origin)
                announcer.showLife()
                let renewal = try lease.renew(over: connection, vouchingFor: history.vouchedFor, by: clock)
                publish(formatInForce: renewal.formatInForce)
                note(renewal.offset)
                try keepTime(renewal, over: connection)
                let counts = try self.counts(over: connection)
                if state.withLock({ !$0.cursor.handleHeartbeat(counts) }) { invalidateAll() }
                findSilent(after: .now - last)
                last = .now
                next = .now + Self.rest
            }
        }
        try lease.end(over: connection)
    }

    /// Reads the counts of the other servers' commits: one read for all lists and rooms.
    private func counts(over connection: Connection) throws(PostgresFailure) -> [NewsCursor.Lane: Int64] {
        try connection.run([.run(.counts, .text(lease.server.description))])[0].counts
    }

    /// Invalidates all knowledge of rooms, memberships, read marks and profiles, because news of them may be lost.
    private func invalidateAll() {
        let handler = state.withLock { state in
            for room in state.rooms.keys { state.rooms[room]?.isInvalid = true }
            return state.handler
        }
        handler?(.invalidated)
    }

    private func publish(formatInForce format: Int) {
        let handler = state.withLock { state in
            defer { state.formatInForce = format }
            return state.formatInForce == format ? nil : state.handler
        }
        handler?(.format(inForce: format, known: lease.knows))
    }

    private func note(_ offset: ClockOffset) {
        let isNew = state.withLock { state in
            state.clockOffset = offset.least
            guard state.clockIsWrong ? offset.isRight : offset.isWrong else { return false }
            state.clockIsWrong.toggle()
            return true
        }
        guard isNew else { return }
        let place = address.place
        history.publish(offset.isWrong ? .clockIsWrong(by: offset.least, at: place) : .clockIsRight(at: place))
    }

    /// Goes on with the time that all servers share.
    private func keepTime(_ renewal: Lease.Renewal, over connection: Connection) throws(PostgresFailure) {
        switch state.withLock({ $0.timeKeeper.decide(renewal.time) }) {
        case .follow(let instant): clock.follow(instant, elapsed: renewal.time.elapsed)
        case .change(let old, let new):
            // Servers of before do not know the lead, and go by their clocks.
            guard renewal.formatInForce >= Schema.storeTime else { break }
            try connection.run([.run(Query.setLead.sql, .integer(old), .integer(new))])
        case .nothing: break
        }
    }

    /// The time by which this server's clock was last ahead of the database's for certain.
    var clockOffset: Duration { state.withLock { $0.clockOffset } }

    private func handle(_ announcement: Announcement, from sender: ServerID) {
        let (isNew, handler) = state.withLock { ($0.detector.recordHeartbeat(sender), $0.handler) }
        announcer.noteContact()
        if isNew { announcer.requestPresence(sender) }
        switch announcement {
        case .reached(let revisions): forward(revisions, to: handler)
        case .sent(let rooms, let epoch): forward(rooms, of: epoch, to: handler)
        case .present(let rooms): for (room, people) in rooms { handler?(.present(sender, room, people)) }
        case .presenceRequested(let rooms): handler?(.presenceRequested(rooms))
        case .presenceRequestedFrom(let server): if server == lease.server { handler?(.presenceRequested(nil)) }
        case .rewritten(let users): handler?(.rewritten(users))
        case .membershipsChanged(let users): handler?(.membershipsChanged(users))
        case .affiliatesChanged(let rooms):
            for (room, users) in rooms { handler?(.affiliatesChanged(room, users.sorted())) }
        case .committed(let numbers):
            if state.withLock({ !$0.cursor.handle(numbers, from: sender) }) { invalidateAll() }
        case .alive: break
        }
    }

    /// Asks for all news and answers all questions, because those until now were missed.
    private func catchUp() {
        let handler = state.withLock { state in
            state.detector.listenAnew()
            return state.handler
        }
        handler?(.missed)
        announcer.requestAllPresence()
        handler?(.presenceRequested(nil))
    }

    private func findSilent(after time: Duration) {
        let (findings, handler) = state.withLock { ($0.detector.advance(time), $0.handler) }
        for finding in findings {
            switch finding {
            case .lost(let server): handler?(.lost(server))
            case .caughtUp: handler?(.caughtUp)
            }
        }
    }

    /// Forwards hints on without noting them: a noted revision that is too high would hide all true ones.
    private func forward(_ revisions: [RoomName: Revision], to handler: (@Sendable (News) -> Void)?) {
        let news = state.withLock { state in
            revisions.filter { room, revision in
                state.rooms[room].map { $0.revision < revision && $0.carried != revision } ?? false
            }
        }
        for (room, revision) in news { handler?(.reached(room, revision)) }
    }

    /// Passes on the messages of the rooms that are live here. Those of another epoch are read, if they exist.
    private func forward(
        _ rooms: [RoomName: [InsertedMessage]], of epoch: Epoch, to handler: (@Sendable (News) -> Void)?
    ) {
        guard epoch == history.epoch else { return }
        let news = state.withLock { state in
            rooms.filter { room, messages in
                guard state.rooms[room] != nil, let last = messages.last else { return false }
                state.rooms[room]?.carried = last.row.rev
                return true
            }
        }
        for (room, messages) in news { handler?(.sent(room, messages, of: epoch)) }
    }

    // MARK: - Revisions in the database

    /// Returns the rooms whose revisions are to be read, which then count as read until ``invalidate(_:)``.
    func dequeueInvalidRooms() -> [RoomName] {
        state.withLock { state in
            let rooms = state.rooms.filter(\.value.isInvalid).keys
            for room in rooms { state.rooms[room]?.isInvalid = false }
            return Array(rooms)
        }
    }

    /// Marks the rooms' revisions as unknown, because they could not be read.
    func invalidate(_ rooms: [RoomName]) {
        state.withLock { state in for room in rooms { state.rooms[room]?.isInvalid = true } }
    }

    /// Publishes new revisions in the database, of the rooms that are live here.
    func publish(_ revisions: [(RoomName, Revision)]) {
        let (news, handler) = state.withLock { state in
            let news = revisions.filter { room, revision in
                guard let known = state.rooms[room]?.revision, known < revision else { return false }
                state.rooms[room]?.revision = revision
                return true
            }
            return (news, state.handler)
        }
        for (room, revision) in news { handler?(.reached(room, revision)) }
    }
}
