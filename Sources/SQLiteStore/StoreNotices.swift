import Locking

/// What an operator is to know of the data. It is put down under whatever lock, and told outside all of them.
final class StoreNotices: Sendable {
    private let tell: @Sendable (String) -> Void
    private let state = Guarded(State())

    private struct State {
        var waiting: [String] = []
        /// What fails at the moment, and was said.
        var failing: Set<Kind> = []
    }

    /// What may fail beside a commit, which stands all the same.
    enum Kind: Hashable {
        case checkpoint
        case control
    }

    init(_ tell: @escaping @Sendable (String) -> Void) {
        self.tell = tell
    }

    func add(_ text: String) {
        state.withLock { $0.waiting.append(text) }
    }

    /// Does what may fail, and puts the failure down unless the last time failed as well.
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

    /// Outside all locks.
    func deliver() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for text in waiting { tell(text) }
    }
}
