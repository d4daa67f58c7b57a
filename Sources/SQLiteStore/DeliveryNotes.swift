import ChatWire
import Locking
import RoomStore

/// The revisions up to which rooms were delivered, as far as they are not in the file yet.
///
/// A repeated delivery does no harm, so a note waits for no disk: the next commit writes it. Without commits, many
/// notes are written in a transaction of their own, so that a crash repeats only a few deliveries.
final class DeliveryNotes: Sendable {
    private let state = Guarded(State())

    private struct State {
        var revisions: [RoomName: Revision] = [:]
        /// The number of notes since some were written.
        var count = 0
    }

    /// The most notes that a crash may lose.
    private static let patience = 64

    enum Urgency {
        case none
        /// The notes must be written without waiting for a commit.
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

    /// Removes the notes that are now in the file.
    func remove(_ written: [RoomName: Revision]) {
        guard !written.isEmpty else { return }
        state.withLock { state in
            for (room, revision) in written where state.revisions[room] == revision { state.revisions[room] = nil }
            state.count = 0
        }
    }
}
