import ChatRoom
import ChatWire
import Dispatch
import Locking
import RoomStore

/// Stores people's changes of one kind, such as drafts, in one part of the store, and answers once they are durable.
///
/// Changes gather while the store works, and for a moment after that: however many people write, messages wait for a few
/// transactions a second.
final class PersonalWriter<Change: PersonalChange>: Sendable {
    typealias Answer = @Sendable (WireError?) -> Void
    /// Writes changes in one transaction.
    ///
    /// - Returns: the reason why a change has no effect, for each; `nil` for none.
    typealias Write = @Sendable ([Change]) throws(RoomStoreError) -> [WireError?]

    private struct State: Sendable {
        var waiting: [(change: Change, answer: Answer)] = []
        var bytes = 0
        var isAtWork = false
    }

    private let errors: StoreErrors
    private let quotas: Quotas
    private let write: Write
    private let notify: @Sendable (Set<UserName>) -> Void
    private let state = Guarded(State())
    private let queue = DispatchQueue(label: "diffroom.personal", qos: .utility)

    /// The time between two transactions.
    private let pause = DispatchTimeInterval.milliseconds(100)
    /// The most bytes that wait for the store.
    private let mostBytes = 2 << 20

    /// - Parameter notify: called with the people of whom something was written.
    init(
        errors: StoreErrors, quotas: Quotas, notify: @escaping @Sendable (Set<UserName>) -> Void, write: @escaping Write
    ) {
        (self.errors, self.quotas, self.notify, self.write) = (errors, quotas, notify, write)
    }

    /// Stores a change. Any thread.
    ///
    /// - Parameter answer: called once, with the reason if the change was not stored.
    func enqueue(_ change: Change, answer: @escaping Answer) {
        let (isFull, starts) = state.withLock { state in
            guard state.bytes < mostBytes else { return (true, false) }
            state.bytes += change.waitingBytes
            state.waiting.append((change, answer))
            defer { state.isAtWork = true }
            return (false, !state.isAtWork)
        }
        if isFull { answer(.tooManyChanges) }
        if starts { queue.async { self.work() } }
    }

    private func work() {
        let gathered = next()
        guard !gathered.isEmpty else { return }
        let changes = gathered.map(\.change)
        do throws(RoomStoreError) {
            let refusals = try write(changes)
            let written = zip(changes, refusals).filter { $1 == nil }.map(\.0)
            quotas.charge(written, at: .now)
            notify(Set(written.map(\.user)))
            for (one, refusal) in zip(gathered, refusals) { one.answer(refusal) }
        } catch {
            errors.note(error)
            let error = WireError(error)
            for one in gathered { one.answer(error) }
        }
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.work() }
    }

    private func next() -> [(change: Change, answer: Answer)] {
        state.withLock { state in
            let next = state.waiting
            state = State(isAtWork: !next.isEmpty)
            return next
        }
    }
}

/// A change of what the store keeps of one person.
protocol PersonalChange: Sendable {
    var user: UserName { get }
    /// The bytes of the texts in it.
    var size: Int { get }
}

extension PersonalChange {
    /// About the bytes of the change while it waits.
    fileprivate var waitingBytes: Int { 512 + size }
}

extension DraftChange: PersonalChange {
    var size: Int { content?.size ?? 0 }
}

extension LaterChange: PersonalChange {
    var size: Int { if case .put(let plan, _) = action { plan.size } else { 0 } }
}

extension BlockChange: PersonalChange {
    var size: Int { block.user.description.utf8.count }
}

extension WireError {
    fileprivate static let tooManyChanges = WireError(
        .overloaded, "too many changes wait for the store: send it again", retryAfter: 1_000)
}
