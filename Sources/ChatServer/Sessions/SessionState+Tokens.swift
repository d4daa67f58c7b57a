import ChatRoom
package import ChatWire
import Tokens

/// The times at which a connection's token ends and its client is warned.
struct Expiry: Sendable {
    /// `nil` for never.
    private var end: Milliseconds?
    /// `nil` once the client was warned.
    private var warning: Milliseconds?

    /// The longest time between the warning and the end. It is at most a quarter of the token's remaining time, too, so
    /// that a short-lived token does not cause a warning at once.
    private static let ahead: Milliseconds = 120_000

    init() {}

    init(of bearer: Bearer, from now: Milliseconds) {
        end = bearer.expires
        warning = end.map { $0 - min(Self.ahead, ($0 - now) / 4) }
    }

    /// The time at which there is something to be done next.
    var next: Milliseconds? { warning ?? end }

    func hasCome(by time: Milliseconds) -> Bool {
        end.map { $0 <= time } ?? false
    }

    /// Returns the time that is left, once, when the user is to be warned.
    mutating func warn(at time: Milliseconds) -> Milliseconds? {
        guard let end, let due = warning, due <= time else { return nil }
        warning = nil
        return end - time
    }
}

extension SessionState {
    /// The time at which ``expire(at:)`` is to be called again.
    package var nextExpiry: Milliseconds? { isLive ? expiry.next : nil }

    /// Warns of the token's end, or ends the connection with it.
    package mutating func expire(at time: Milliseconds) -> [Effect] {
        guard isLive else { return [] }
        if expiry.hasCome(by: time) { return expire() }
        return expiry.warn(at: time).map { [.answer(.expiring(in: $0))] } ?? []
    }

    mutating func expire() -> [Effect] {
        dismiss(code: CloseCode.tokenExpired, reason: "the token has expired: come back with a fresh one")
    }

    /// Handles a fresh token of the same user. Lists that it says something else of are told so; the answer comes when
    /// all have heard it, and from then on the connection gets nothing that the token does not grant.
    mutating func renewToken(
        _ bearer: Bearer, _ answer: Result<Bearer, WireError>, ref: UInt64, at time: Milliseconds
    ) -> [Effect] {
        do throws(WireError) {
            let fresh = try answer.get()
            guard fresh.user == bearer.user else { throw .somebodyElse(bearer.user) }
            activate(fresh, from: time)
            return notify(of: bearer.grants, fresh.grants, ref: ref) + fresh.claims
        } catch {
            return reject(ref, error)
        }
    }

    private mutating func notify(of old: Grants, _ new: Grants, ref: UInt64) -> [Effect] {
        let notes = lists.compactMap { note(of: old, new, ref: ref, to: $0) }
        guard !notes.isEmpty else { return [.answer(.ok(ref: ref, nil))] }
        expect(notes.count, ref: ref)
        return notes
    }

    /// `nil` for a list of which both grants say the same.
    private func note(of old: Grants, _ new: Grants, ref: UInt64, to list: ListName) -> Effect? {
        if list.isStored { return nil }  // it is the same under all grants
        guard let (room, kind) = list.ofRoom else {
            return old == new ? nil : user.map { .toInbox($0, .regrant(OwnList(list), new, ref: ref)) }
        }
        let role = new.role(in: room)
        return old.role(in: room) == role ? nil : .toRoom(room, .regrant(kind, role, ref: ref))
    }
}

extension WireError {
    static func somebodyElse(_ user: UserName) -> WireError {
        WireError(
            .otherUser, "token: this connection is \(user)'s: open another one for another user", field: "token")
    }
}
