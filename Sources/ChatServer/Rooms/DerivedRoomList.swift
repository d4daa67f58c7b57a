import ChatRoom
import ChatWire

/// A list of a room that follows from its messages and rules, as the room sees it.
protocol RoomListHost: AnyObject {
    /// True when no reader follows the list or waits for it.
    var isEmpty: Bool { get }
    /// True when readers wait for an allowance.
    var isServing: Bool { get }
    /// About the bytes that count against the budget.
    var bytes: Int { get }

    /// Brings an admitted reader to the list, or lets it wait until the list was read.
    func subscribe(
        _ reader: Reader, ref: UInt64, visit: UInt64, _ resume: Resume?, of room: borrowing RoomState,
        _ turn: inout ShardTurn)
    func unsubscribe(_ reader: Reader, _ decision: inout ShardDecision)
    /// The reader fell off the outgoing log. It holds this revision.
    func fellBehind(_ reader: Reader, at revision: Revision, _ decision: inout ShardDecision)
    /// Sends what has changed since the room was last looked at.
    func update(from room: borrowing RoomState, _ turn: inout ShardTurn)
    func handle(
        _ answer: Result<ListPage<Message>?, WireError>, of room: borrowing RoomState, _ turn: inout ShardTurn)
    func forgetDeliveries()
    /// Closes the list. It must be the last call.
    func close(_ decision: inout ShardDecision)
}

/// The readers of one derived list of a room, and its queries to the store.
final class DerivedRoomList<State: DerivedList>: RoomListHost {
    private struct Waiting {
        let reader: Reader
        let ref: UInt64
        let visit: UInt64
        let resume: Resume?
    }

    private let name: ListName
    private let kind: RoomList
    private var published: PublishedList<State>
    private var waiting: [Waiting] = []
    /// The sort keys of the messages that are being read; `nil` if none are.
    private var reading: [UInt64]?
    private(set) var isServing = false

    init(
        _ kind: RoomList, of room: RoomName, _: State.Type, loops: Int, topics: Topics, caching space: CacheSpace
    ) {
        self.kind = kind
        name = kind.name(in: room)
        published = PublishedList(
            State(of: topics.nextEpoch(), tagging: \.contentTag), of: .room(room, kind), loops: loops, topics: topics,
            caching: space)
    }

    var isEmpty: Bool { waiting.isEmpty && !published.state.isFollowed }

    var bytes: Int { published.state.bytes }

    func subscribe(
        _ reader: Reader, ref: UInt64, visit: UInt64, _ resume: Resume?, of room: borrowing RoomState,
        _ turn: inout ShardTurn
    ) {
        for earlier in waiting where earlier.reader == reader {
            turn.decision.answer(reader, .error(ref: earlier.ref, .superseded))
        }
        waiting.removeAll { $0.reader == reader }
        waiting.append(Waiting(reader: reader, ref: ref, visit: visit, resume: resume))
        update(from: room, &turn)
    }

    func unsubscribe(_ reader: Reader, _ decision: inout ShardDecision) {
        for left in waiting where left.reader == reader {
            decision.answer(reader, .error(ref: left.ref, .left))
        }
        waiting.removeAll { $0.reader == reader }
        published.unsubscribe(reader, &decision)
    }

    func fellBehind(_ reader: Reader, at revision: Revision, _ decision: inout ShardDecision) {
        published.fellBehind(reader, at: revision, &decision)
    }

    func update(from room: borrowing RoomState, _ turn: inout ShardTurn) {
        isServing = false
        guard !isEmpty, reading == nil, room.isPublished else { return }
        published.state.update(from: room)
        let lacking = published.state.lacking
        guard lacking.isEmpty else {
            reading = lacking
            let query = RowsQuery(room: room.room, list: kind, sorts: lacking, epoch: room.epoch)
            return turn.decision.queries.append(.rows(query))
        }
        if let diff = published.state.commit(), published.state.isFollowed {
            published.publish(diff, &turn.decision)
        }
        serve(&turn)
    }

    private func serve(_ turn: inout ShardTurn) {
        while let next = waiting.first {
            guard turn.allowance > 0 else {
                isServing = true
                return
            }
            waiting.removeFirst()
            published.subscribe(next.reader, ref: next.ref, next.resume, &turn.decision)
        }
    }

    func handle(
        _ answer: Result<ListPage<Message>?, WireError>, of room: borrowing RoomState, _ turn: inout ShardTurn
    ) {
        let asked = reading ?? []
        reading = nil
        switch answer {
        case .success(nil): break  // the store is at another epoch, and says so soon
        case .success(let page?):
            guard room.isPublished else { return }
            published.state.update(from: room)
            // A page from before what the room remembers is read again.
            if let page = room.updated(page) { published.state.apply(page.rows, of: asked) }
            update(from: room, &turn)
        case .failure(let error): fail(error, &turn)
        }
    }

    /// Refuses the readers who wait, and closes the others: the list cannot be brought to what they would hold.
    private func fail(_ error: WireError, _ turn: inout ShardTurn) {
        for one in waiting {
            turn.decision.end(one.reader, name, visit: one.visit)
            turn.decision.answer(one.reader, .error(ref: one.ref, error))
        }
        waiting = []
        for reader in published.state.readers { turn.decision.dismiss(reader, code: CloseCode.overload, error) }
    }

    func forgetDeliveries() {
        published.forgetDeliveries()
    }

    func close(_ decision: inout ShardDecision) {
        published.close(&decision)
    }
}
