import ChatRoom
import ChatWire
import Dispatch
import Locking
import RoomStore
import Tokens

/// Writes the claims of tokens about their bearers to the store, if they are new there.
///
/// Claims gather while the store works, one for each person. So thousands of people who come back with the same claims
/// cost some reads and no write.
final class ProfileClaims: Sendable {
    private struct State: Sendable {
        var waiting: [UserName: ProfileChange] = [:]
        var isAtWork = false
        /// Faults that are not logged again.
        var logged: Set<String> = []
    }

    private let store: any RoomStore
    private let errors: StoreErrors
    private let log: ServerLog
    private let notify: @Sendable (Set<UserName>) -> Void
    private let state = Guarded(State())
    private let queue = DispatchQueue(label: "diffroom.profiles", qos: .utility)

    /// The most people of one question to the store.
    private static let most = 500

    /// - Parameter notify: called with the people whose profiles have changed.
    init(
        _ store: any RoomStore, errors: StoreErrors, log: ServerLog, notify: @escaping @Sendable (Set<UserName>) -> Void
    ) {
        (self.store, self.errors, self.log, self.notify) = (store, errors, log, notify)
    }

    /// Handles a token's claims. Any thread.
    func enqueue(_ claim: ClaimedProfile, of user: UserName) {
        for fault in claim.faults where state.withLock({ $0.logged.insert(fault).inserted }) {
            log(.warning, "a token's claim is ignored, as are all like it", ["why": fault])
        }
        guard let change = claim.change(of: user) else { return }
        let starts = state.withLock { state in
            state.waiting[user] = change
            defer { state.isAtWork = true }
            return !state.isAtWork
        }
        if starts { queue.async { self.work() } }
    }

    /// Returns after all claims that came before.
    func flush() {
        assertMayWait()
        queue.sync {}
    }

    private func work() {
        while let changes = next() {
            do throws(RoomStoreError) {
                let stored = try store.profiles(of: changes.map(\.user))
                let news = changes.filter { $0.applied(to: stored[$0.user]) != nil }
                if news.isEmpty { continue }
                let written = try store.write(news)
                if !written.isEmpty { notify(written) }
            } catch {
                errors.note(error)  // the next token says it again
            }
        }
    }

    private func next() -> [ProfileChange]? {
        state.withLock { state in
            let changes = Array(state.waiting.values.prefix(Self.most))
            for change in changes { state.waiting[change.user] = nil }
            if changes.isEmpty { state.isAtWork = false }
            return changes.isEmpty ? nil : changes
        }
    }
}
