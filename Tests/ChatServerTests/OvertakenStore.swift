import ChatRoom
import ChatWire
import Dispatch
import RoomStore
import Synchronization

/// A store in which something happens during the read of a page: ``reads`` reports each, which waits for ``goOn()``.
/// Commits can be held up, too, before and after they are durable.
final class OvertakenStore: ForwardingStore {
    let store: any RoomStore
    private let count = Atomic(0)
    private let mayGoOn = DispatchSemaphore(value: 0)
    private let reading: AsyncStream<Int>.Continuation
    /// The number of each page that was read, from 1. After so many it waits no longer, so that a test can end.
    let reads: AsyncStream<Int>
    private static let most = 20
    /// Commits wait until nobody is in it.
    let holdUp = DispatchGroup()
    /// Durable commits are not answered until nobody is in it.
    let holdBack = DispatchGroup()
    /// Standings that were read are not answered until nobody is in it.
    let holdStandings = DispatchGroup()
    private let judging: AsyncStream<Void>.Continuation
    /// Reports each standing when it was read.
    let standings: AsyncStream<Void>
    private let committing: AsyncStream<Void>.Continuation
    /// Reports each commit when it is durable.
    let commits: AsyncStream<Void>

    init(_ store: any RoomStore) {
        self.store = store
        (reads, reading) = AsyncStream.makeStream()
        (commits, committing) = AsyncStream.makeStream()
        (standings, judging) = AsyncStream.makeStream()
    }

    var pages: Int { count.load(ordering: .relaxed) }

    func goOn() {
        mayGoOn.signal()
    }

    func neighbours(
        of sort: UInt64, in room: RoomName, before: Int, after: Int
    ) throws(RoomStoreError) -> Neighbours {
        let page = try store.neighbours(of: sort, in: room, before: before, after: after)
        let number = count.add(1, ordering: .relaxed).newValue
        guard number <= Self.most else { return page }
        reading.yield(number)
        mayGoOn.wait()
        return page
    }

    func standing(of user: UserName, in room: RoomName) throws(RoomStoreError) -> Standing {
        let standing = try store.standing(of: user, in: room)
        judging.yield()
        holdStandings.wait()
        return standing
    }

    func commit(inOrder batch: [BatchEntry]) throws(RoomStoreError) -> [CommitOutcome] {
        holdUp.wait()
        let outcomes = try store.commit(inOrder: batch)
        committing.yield()
        holdBack.wait()
        return outcomes
    }
}
