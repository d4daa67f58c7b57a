import ChatRoom
import ChatWire
import Dispatch
import RoomStore
import WebSocketTransport

/// Asks the store, which takes its time: it reads a disk, or waits for another program. Meanwhile the rooms go on with what
/// they hold: the question waits on a lane of its own, and the answer comes back on the room's queue.
struct StoreReads: Sendable {
    typealias Question<Answer> = @Sendable (any RoomStore) throws(RoomStoreError) -> Answer

    let store: any RoomStore
    private let errors: StoreErrors
    private let quotas: Quotas
    private let sessions: Sessions
    /// Those of rooms that want to know something, and those of clients who do: nobody's join waits for others' pages.
    private let own: [BoundedQueue]
    private let asked: [BoundedQueue]

    /// Each holds a thread and a connection while it waits.
    private static let queueCount = 3
    /// How many questions of clients may wait on each.
    private static let most = 1_024

    init(_ store: any RoomStore, errors: StoreErrors, quotas: Quotas, sessions: Sessions) {
        self.sessions = sessions
        self.store = store
        self.errors = errors
        self.quotas = quotas
        own = (0..<Self.queueCount).map { BoundedQueue("diffroom.read.\($0)", most: .max) }
        asked = (0..<Self.queueCount).map { BoundedQueue("diffroom.ask.\($0)", most: Self.most) }
    }

    /// What a room itself needs to know, one thing at a time. What is asked of one room is answered in its order.
    func ask<Answer: Sendable>(
        for room: Room, _ question: @escaping Question<Answer>,
        then take: @escaping @Sendable (Room, Result<Answer, WireError>) -> Void
    ) {
        let (name, shard) = (room.name, room.shard)
        queue(own, of: name).put {
            let answer = answer(question)
            shard.hand(to: name) { take($0, answer) }
        }
    }

    /// What a client asks of a room that has let it in; refused when too many ask.
    /// Nothing is read, or made of what was read, for one that has gone.
    func ask<Answer: Sendable>(
        _ room: Room, onBehalfOf reader: Reader, _ question: @escaping Question<Answer>,
        then take: @escaping @Sendable (Room, Result<Answer, WireError>) -> Void
    ) {
        let (name, shard) = (room.name, room.shard)
        let isTaken = queue(asked, of: name).offer { [sessions] in
            guard sessions.has(reader.connection) else { return }
            let answer = answer(question)
            shard.hand(to: name) { if sessions.has(reader.connection) { take($0, answer) } }
        }
        guard !isTaken else { return }
        quotas.hit(.storeReads)
        shard.answered(name) { take($0, .failure(.tooManyQuestions)) }
    }

    /// Likewise, for whoever asks without a WebSocket.
    ///
    /// - Parameter take: called on a thread where it may take its time; at once when too many ask.
    func ask<Answer: Sendable>(
        about room: RoomName, _ question: @escaping Question<Answer>,
        then take: @escaping @Sendable (Result<Answer, WireError>) -> Void
    ) {
        guard !queue(asked, of: room).offer({ take(answer(question)) }) else { return }
        quotas.hit(.storeReads)
        take(.failure(.tooManyQuestions))
    }

    private func queue(_ queues: [BoundedQueue], of room: RoomName) -> BoundedQueue {
        queues[Int(UInt(bitPattern: room.hashValue) % UInt(queues.count))]
    }

    private func answer<Answer>(_ question: Question<Answer>) -> Result<Answer, WireError> {
        assertMayWait()
        do throws(RoomStoreError) {
            return .success(try question(store))
        } catch {
            errors.note(error)
            return .failure(WireError(error))
        }
    }
}

extension WireError {
    fileprivate static let tooManyQuestions = WireError(
        .unavailable, "more is asked of the store than it keeps up with: ask again", retryAfter: 1_000)
}
