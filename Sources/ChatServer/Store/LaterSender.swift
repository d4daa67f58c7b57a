import ChatRoom
package import ChatWire
import Dispatch
import Locking
import RoomStore

/// Sends the messages of people's `me/later` that are due, from one part of the store.
///
/// Every server on the store does this. A server first marks an item as held, durably: then its author cannot cancel it, and
/// the other servers leave it alone for a while. After a crash any of them sends it again. The message has the item's id, so
/// a room that has it already recognises the repeat.
final class LaterSender: Sendable {
    /// Commits the message of a user's item, and calls back with the reason if it was refused.
    typealias Send = @Sendable (StoredLater, UserName, @escaping @Sendable (WireError?) -> Void) -> Void

    private struct State: Sendable {
        /// `nil` before the start and after the end.
        var send: Send?
        /// The time of day at which the store is read next.
        var next: Milliseconds
        /// The number of that reading: an earlier one that was planned does nothing.
        var number = 0
        /// The outcomes of messages that are not stored yet.
        var outcomes: [LaterChange] = []
    }

    private let store: any RoomStore
    private let errors: StoreErrors
    private let pace: LaterPace
    private let notify: @Sendable (Set<UserName>) -> Void
    private let state = Guarded(State(next: .max))
    private let queue = DispatchQueue(label: "diffroom.later", qos: .utility)

    /// The most messages that are sent at once.
    private static let most = 256

    /// - Parameter notify: called with the people whose items have changed.
    init(
        _ store: any RoomStore, errors: StoreErrors, pace: LaterPace,
        notify: @escaping @Sendable (Set<UserName>) -> Void
    ) {
        (self.store, self.errors, self.pace, self.notify) = (store, errors, pace, notify)
    }

    /// Begins to send.
    func start(_ send: @escaping Send) {
        state.withLock { $0.send = send }
        expect(.now)
    }

    /// Reads the store at this time of day at the latest. Any thread.
    func expect(_ time: Milliseconds) {
        let number: Int? = state.withLock { state in
            guard time < state.next, state.send != nil else { return nil }
            state.next = time
            state.number += 1
            return state.number
        }
        guard let number else { return }
        let delay = DispatchTimeInterval.milliseconds(Int(min(max(0, time - .now), pace.rest)))
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in self?.work(number) }
    }

    /// Sends nothing more, and returns when the store is not read any more.
    func end() {
        state.withLock { $0.send = nil }
        queue.sync {}
    }

    private func work(_ number: Int) {
        let send: Send? = state.withLock { state in
            guard state.number == number else { return nil }
            state.next = .max
            return state.send
        }
        guard let send else { return }
        assertMayWait()
        do throws(RoomStoreError) {
            expect(try sendDue(at: .now, by: send))
        } catch {
            errors.note(error)
            expect(.now + pace.rest)
        }
    }

    /// - Returns: the time of the next reading.
    private func sendDue(at now: Milliseconds, by send: Send) throws(RoomStoreError) -> Milliseconds {
        let next = try store.nextLater(limit: Self.most)
        let due = next.filter { $0.item.next <= now }
        let holds = due.map { LaterChange(user: $0.user, id: $0.item.id, .hold(at: now, until: now + pace.hold)) }
        let outcomes = holds.isEmpty ? [] : try store.write(holds, most: 0)
        for (hold, outcome) in zip(holds, outcomes) {
            // An item without an outcome was changed, or another server has it.
            guard case .success(let item) = outcome else { continue }
            send(item, hold.user) { [weak self] in self?.sent(item, of: hold.user, $0) }
        }
        let soonest = next.lazy.map(\.item.next).filter { $0 > now }.min() ?? .max
        return due.count == Self.most ? now : min(soonest, now + pace.rest)
    }

    private func sent(_ item: StoredLater, of user: UserName, _ error: WireError?) {
        guard let action = LaterChange.Action(after: error, at: .now) else { return }
        store(LaterChange(user: user, id: item.id, action))
    }

    /// Stores the outcome of a message, with those that gather meanwhile. If that fails, the message is sent again.
    private func store(_ outcome: LaterChange) {
        let isFirst = state.withLock { state in
            state.outcomes.append(outcome)
            return state.outcomes.count == 1
        }
        if isFirst { queue.async { self.storeOutcomes() } }
    }

    private func storeOutcomes() {
        let outcomes = state.withLock { state in
            defer { state.outcomes = [] }
            return state.outcomes
        }
        do throws(RoomStoreError) {
            _ = try store.write(outcomes, most: 0)
            notify(Set(outcomes.map(\.user)))
        } catch {
            errors.note(error)
        }
        for case .postpone(let time) in outcomes.map(\.action) { expect(time) }
        // More messages may be due than were read at once.
        expect(.now)
    }
}

/// The times by which messages for later are sent.
package struct LaterPace: Sendable {
    /// The longest time between two readings of the store: another server may have stored items, or have died.
    package var rest: Milliseconds = 10_000
    /// The time that a server has to send a message, before another one does.
    package var hold: Milliseconds = 10_000
}

extension StoredLater {
    /// The time of day from which on a server may send the message.
    fileprivate var next: Milliseconds { max(due ?? .max, held) }
}

extension LaterChange.Action {
    /// The change of an item after its message was committed or refused; `nil` if that is unknown, and the message is sent
    /// again when the hold ends.
    fileprivate init?(after error: WireError?, at now: Milliseconds) {
        switch error?.code {
        case nil: self = .finish
        case .unavailable, .internal: return nil
        case .rateLimited: self = .postpone(now + max(1_000, error?.retryAfter ?? 1_000))
        case .badRequest, .unauthorized, .forbidden, .notFound, .conflict, .tooLarge:
            guard let error else { return nil }
            self = .refuse(error)
        }
    }
}
