import ChatRoom
import ChatWire
import Locking
import RoomStore
import TestSupport

/// A store that goes on with another history during a request, as a shared database does when a standby takes over that
/// lacks acknowledged commits. The request is answered from the history before.
final class ForkedStore: ForwardingStore {
    /// The request during which that happens.
    enum Moment: CaseIterable {
        /// Of operations, not of read marks only, which are committed when there is time.
        case commit
        case page
    }

    private struct State: Sendable {
        var store = InMemoryStore()
        /// Opened when it has happened.
        var moment: Moment?
        var receive: (@Sendable (News) -> Void)?
    }

    private let state = Guarded(State())

    /// - Parameter message: the message that the new history has instead.
    func fork(at moment: Moment, into message: RoomOperation) throws(RoomStoreError) {
        _ = try next.commit([message])
        state.withLock { $0.moment = moment }
    }

    /// The next history.
    private let next = InMemoryStore()
    var store: any RoomStore { state.withLock { $0.store } }

    private func reach(_ moment: Moment) {
        let receive = state.withLock { [next] state -> (@Sendable (News) -> Void)? in
            guard state.moment == moment else { return nil }
            (state.store, state.moment) = (next, nil)
            return state.receive
        }
        receive?(.renewed)
    }

    var others: (any OtherServers)? { self }

    func commit(inOrder batch: [BatchEntry]) throws(RoomStoreError) -> [CommitOutcome] {
        let outcomes = try store.commit(inOrder: batch)
        if batch.contains(where: { $0.operation != nil }) { reach(.commit) }
        return outcomes
    }

    func neighbours(
        of sort: UInt64, in room: RoomName, before: Int, after: Int
    ) throws(RoomStoreError) -> Neighbours {
        let page = try store.neighbours(of: sort, in: room, before: before, after: after)
        reach(.page)
        return page
    }

    func deliveries(part: Int) throws(RoomStoreError) -> (any Deliveries)? { nil }
}

extension ForkedStore: OtherServers {
    func listen(_ receive: @escaping @Sendable (News) -> Void) {
        state.withLock { $0.receive = receive }
    }

    func follow(_ room: RoomName, withPeople: Bool) {}
    func leave(_ room: RoomName) {}
    func announce(_ people: [Presence], in room: RoomName) {}
    func agree(on fingerprint: UInt64, at revision: Revision, of room: RoomName) throws(RoomStoreError) -> Bool { true }
    func cancelWaiting() {}
}
