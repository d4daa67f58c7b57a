import Locking

/// Notices for the operator. They can be added under any lock, and are delivered outside all of them.
final class StoreNotices: Sendable {
    private let notify: @Sendable (String) -> Void
    private let state = Guarded(State())

    private struct State {
        var waiting: [String] = []
        /// The kinds that fail at present and were reported.
        var failing: Set<Kind> = []
    }

    /// A task besides commits that may fail. The commit stands all the same.
    enum Kind: Hashable {
        case checkpoint
        case control
    }

    init(_ notify: @escaping @Sendable (String) -> Void) {
        self.notify = notify
    }

    func add(_ text: String) {
        state.withLock { $0.waiting.append(text) }
    }

    /// Runs a task, and adds a notice of its failure unless it also failed the last time.
    func noting(_ kind: Kind, _ body: () throws -> Void) {
        do {
            try body()
            state.withLock { _ = $0.failing.remove(kind) }
        } catch {
            state.withLock { state in
                if state.failing.insert(kind).inserted { state.waiting.append("\(error)") }
            }
        }
    }

    /// Delivers the notices. Call it outside all locks.
    func deliver() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for text in waiting { notify(text) }
    }
}
