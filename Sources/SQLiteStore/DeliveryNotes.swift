import ChatWire
import Locking
import RoomStore

/// Up to where rooms were told, as far as it is not in the file yet.
///
/// What is told twice does no harm, so a note waits for no disk: the next commit takes it along. Without commits, many of
/// them are a transaction of their own, so that a crash repeats no more than that.
final class DeliveryNotes: Sendable {
    private let state = Guarded(State())

    private struct State {
        var revisions: [RoomName: Revision] = [:]
        /// How many were made since some were written.
        var count = 0
    }

    /// How many may be lost in a crash.
    private static let patience = 64

    enum Urgency {
        case none
        /// They are to be written without waiting for a commit.
        case due
    }

    var revisions: [RoomName: Revision] {
        state.withLock { $0.revisions }
    }

    func add(_ room: RoomName, upTo revision: Revision) -> Urgency {
        state.withLock { state in
            state.revisions[room] = revision
            state.count += 1
            return state.count >= Self.patience ? .due : .none
        }
    }

    /// Lets go of those that are in the file by now.
    func remove(_ written: [RoomName: Revision]) {
        guard !written.isEmpty else { return }
        state.withLock { state in
            for (room, revision) in written where state.revisions[room] == revision { state.revisions[room] = nil }
            state.count = 0
        }
    }
}
