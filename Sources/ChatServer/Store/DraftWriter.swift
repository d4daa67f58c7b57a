import ChatRoom
import ChatWire
import Dispatch
import Locking
import RoomStore

/// Stores people's drafts in one part of the store, and answers once they are durable.
///
/// Drafts gather while the store works, and for a moment after that: however many people write, messages wait for a few
/// transactions a second. Of a person's drafts for one room only the last is stored.
final class DraftWriter: Sendable {
    typealias Answer = @Sendable (WireError?) -> Void

    private struct Place: Hashable {
        let user: UserName
        let room: RoomName
    }

    private struct State: Sendable {
        var waiting: [Place: DraftChange] = [:]
        var answers: [Answer] = []
        var bytes = 0
        var isAtWork = false
    }

    private let store: any RoomStore
    private let errors: StoreErrors
    private let quotas: Quotas
    private let most: Int
    private let notify: @Sendable (Set<UserName>) -> Void
    private let state = Guarded(State())
    private let queue = DispatchQueue(label: "diffroom.drafts", qos: .utility)

    /// The most bytes that wait for the store.
    private static let mostBytes = 8 << 20
    /// The time between two transactions.
    private static let pause = DispatchTimeInterval.milliseconds(100)

    /// - Parameter notify: called with the people whose drafts have changed.
    init(
        _ store: any RoomStore, errors: StoreErrors, quotas: Quotas, limits: WireLimits,
        notify: @escaping @Sendable (Set<UserName>) -> Void
    ) {
        (self.store, self.errors, self.quotas, self.notify) = (store, errors, quotas, notify)
        most = limits.drafts
    }

    /// Makes a writer for each part of a store.
    static func forAllParts(
        of store: any RoomStore, errors: StoreErrors, _ quotas: Quotas, _ limits: WireLimits,
        notify: @escaping @Sendable (Set<UserName>) -> Void
    ) -> [DraftWriter] {
        store.divisions.map { DraftWriter($0, errors: errors, quotas: quotas, limits: limits, notify: notify) }
    }

    /// Stores a draft. Any thread.
    ///
    /// - Parameter answer: called once, with the reason if the draft was not stored.
    func enqueue(_ change: DraftChange, answer: @escaping Answer) {
        let place = Place(user: change.user, room: change.room)
        let (isFull, starts) = state.withLock { state in
            guard state.bytes < Self.mostBytes else { return (true, false) }
            state.bytes += change.bytes - (state.waiting.updateValue(change, forKey: place)?.bytes ?? 0)
            state.answers.append(answer)
            defer { state.isAtWork = true }
            return (false, !state.isAtWork)
        }
        if isFull { answer(.tooManyDrafts) }
        if starts { queue.async { self.work() } }
    }

    private func work() {
        guard let (changes, answers) = next() else { return }
        do throws(RoomStoreError) {
            try store.write(changes, keeping: most)
            quotas.charge(changes, at: .now)
            notify(Set(changes.map(\.user)))
            for answer in answers { answer(nil) }
        } catch {
            errors.note(error)
            let error = WireError(error)
            for answer in answers { answer(error) }
        }
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.work() }
    }

    private func next() -> ([DraftChange], [Answer])? {
        state.withLock { state in
            let next = (Array(state.waiting.values), state.answers)
            state = State(isAtWork: !state.waiting.isEmpty)
            return next.0.isEmpty ? nil : next
        }
    }
}

extension DraftChange {
    /// About the bytes of the change while it waits.
    fileprivate var bytes: Int { 512 + (content?.size ?? 0) }
}

extension WireError {
    fileprivate static let tooManyDrafts = WireError(
        .overloaded, "too many drafts wait for the store: send it again", retryAfter: 1_000)
}
