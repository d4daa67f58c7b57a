import ChatWire
import Dispatch
import Locking

/// Tells the other servers what was committed. A hint, so it costs no commit anything: it goes out beside them, over a
/// connection of its own that waits for no disk, and while one is under way the next gathers.
///
/// A NOTIFY within the transaction would hold a lock of the whole database while that becomes durable, and the servers'
/// commits would wait for each other.
final class Announcer: Sendable {
    private struct Gathering: Sendable {
        var rooms: [RoomName: Revision] = [:]
        var isSending = false
    }

    private let address: PostgresAddress
    /// Who says it, so that it is not news to who said it.
    private let server: String
    private let gathering = Guarded(Gathering())
    private let connection = Guarded<SharedConnection?>(nil)
    private let queue = DispatchQueue(label: "diffroom.announce", qos: .userInitiated)

    init(_ address: PostgresAddress, server: String) {
        self.address = address
        self.server = server
    }

    /// Any thread; returns at once.
    func announce(_ revisions: [RoomName: Revision]) {
        let starts = gathering.withLock { gathering in
            gathering.rooms.merge(revisions) { max($0, $1) }
            defer { gathering.isSending = true }
            return !gathering.isSending
        }
        if starts { queue.async { self.sendAll() } }
    }

    private func sendAll() {
        while let hints = next() { send(hints) }
    }

    private func next() -> [Hint]? {
        gathering.withLock { gathering in
            guard !gathering.rooms.isEmpty else {
                gathering.isSending = false
                return nil
            }
            defer { gathering.rooms = [:] }
            return Hint.all(gathering.rooms, from: server)
        }
    }

    /// One that cannot be sent is lost: the sweep finds what it would have said.
    private func send(_ hints: [Hint]) {
        connection.withLock { connection in
            do throws(PostgresFailure) {
                let current = if let connection { connection } else { try SharedConnection(address) }
                connection = nil
                try current.notify(hints, on: address.channel)
                connection = current
            } catch {
                return
            }
        }
    }
}

/// The announcer's connection.
final class SharedConnection: @unchecked Sendable {
    // @unchecked: it is used under the announcer's lock only.
    private let connection: Connection

    init(_ address: PostgresAddress) throws(PostgresFailure) {
        connection = try Connection(address, preparing: [.notify])
        try connection.run([.run("SET synchronous_commit = off")])
    }

    func notify(_ hints: [Hint], on channel: String) throws(PostgresFailure) {
        try connection.run(hints.map { .run(.notify, .text(channel), .text($0.payload)) })
    }
}
