import ChatRoom
import ChatWire

/// A short list and the outgoing logs through which its readers get the changes.
struct PublishedList<State: ListState> {
    var state: State
    private let broadcaster: ListBroadcaster<State.Row>

    init(_ state: State, of owner: Topics.Owner, loops: Int, topics: Topics, caching space: CacheSpace) {
        self.state = state
        broadcaster = ListBroadcaster(of: owner, state.epoch, loops: loops, topics: topics, caching: space)
    }

    /// - Parameters:
    ///   - ref: of the request; `nil` for a reader that awaits no answer.
    ///   - resume: the reader's position; `nil` if it holds nothing.
    mutating func subscribe(
        _ reader: Reader, ref: UInt64?, _ resume: Resume?, _ decision: inout ShardDecision
    ) {
        broadcaster.deliver(state.subscribe(reader, resume), to: reader, ref: ref, &decision)
    }

    mutating func unsubscribe(_ reader: Reader, _ decision: inout ShardDecision) {
        state.unsubscribe(reader)
        broadcaster.detach(reader, &decision)
    }

    /// The reader fell off the outgoing log. It holds this revision.
    mutating func fellBehind(_ reader: Reader, at revision: Revision, _ decision: inout ShardDecision) {
        guard let delivery = state.fellBehind(reader, at: revision) else { return }
        broadcaster.deliver(delivery, to: reader, ref: nil, &decision)
    }

    /// Sends a diff that the state has made to all readers.
    func publish(_ diff: ListDiff<State.Row>, _ decision: inout ShardDecision) {
        broadcaster.publish(diff, &decision)
    }

    /// Detaches all readers and forgets all frames. It must be the last call.
    func close(_ decision: inout ShardDecision) {
        broadcaster.close(&decision)
    }

    /// Forgets cached frames. They are encoded again when needed.
    func forgetDeliveries() {
        broadcaster.forgetDeliveries()
    }
}
