import ChatRoom
import ChatWire
import RoomStore

/// One person's standing in a room and membership of it, as the operations decide them.
///
/// Retention forgets joins, leaves and changes of settings. So there may be several possible states: after a forgotten
/// operation, those that it may have left. Without forgotten operations there is one.
struct PersonRecount {
    private(set) var states = [PersonState()]
    /// True for a person in a thread, whom a reply may have made a follower.
    private let isOfThread: Bool
    /// The revision and the time of the last operation about the person.
    private(set) var touched: Revision = 0
    private(set) var time: Milliseconds = 0
    /// Forgotten operations up to this revision are considered.
    private var gap: Revision = 0
    /// The revision of the person's last message that is not forgotten.
    var lastSend: Revision = 0
    /// The last mute, unmute or kick of the person.
    private(set) var moderated: Moderated?

    init(inThread isOfThread: Bool) { self.isOfThread = isOfThread }

    struct Moderated {
        let revision: Revision
        let time: Milliseconds
        let author: UserName
        let name: String
    }

    /// Considers that operations up to a revision are forgotten.
    mutating func forget(upTo gap: Revision, in kind: RoomName.Kind) {
        guard gap > self.gap, gap > touched else { return }
        let span = max(touched, self.gap) + 1...gap
        self.gap = gap
        var all: [PersonState] = []
        let join = KnownJoin(within: span, mayBeUnread: isOfThread)
        for state in states.flatMap({ $0.afterForgotten(join, in: kind) }) where !all.contains(state) {
            all.append(state)
        }
        states = all
    }

    /// Applies the person's own operation.
    mutating func apply(_ entry: CommittedOperation, in kind: RoomName.Kind) {
        let (operation, revision) = (entry.operation, entry.revision)
        switch operation.action {
        case .join where entry.changesNothing: keep(where: \.isMember)
        case .join: keep(where: { kind == .open || $0.standing.isAdmitted })
        case .leave: keep(where: { kind == .open || $0.standing.role >= .read })
        case .settings: keep(where: \.isMember)
        case .send, .edit, .grow, .delete, .react, .summarize, .moderate, .create: break
        }
        let join = KnownJoin(at: revision, operation.instant, mayBeUnread: isOfThread)
        change(at: revision, operation.instant) { state in
            switch operation.action {
            case .join where kind != .direct && !entry.changesNothing:
                state.place = .member(join, KnownSettings())
            case .leave where kind != .direct:
                if kind == .private { state.standing.role = .none }
                state.place = .none
            case .settings(let change):
                if case .member(let join, let settings) = state.place {
                    state.place = .member(join, settings.changed(by: change, at: revision))
                }
            case .send, .edit, .grow, .delete, .react, .summarize, .moderate, .create, .join, .leave: break
            }
        }
    }

    /// Applies another user's operation on the person's standing.
    mutating func apply(
        _ moderation: Moderation, by author: UserName, at revision: Revision, _ time: Milliseconds,
        in kind: RoomName.Kind
    ) {
        if let name = moderation.nameOfPassing {
            moderated = Moderated(revision: revision, time: time, author: author, name: name)
        }
        change(at: revision, time) { state in
            let before = state.standing
            state.standing.apply(moderation, at: revision, time)
            guard state.standing != before else { return }
            let belongs = kind == .open ? !state.standing.isBanned : state.standing.isAdmitted
            if !belongs { state.place = .none }
            guard kind != .open, belongs, state.place == .none else { return }
            state.place =
                kind == .private
                ? .invited(by: author, time) : .member(KnownJoin(at: revision, time), KnownSettings())
        }
    }

    /// Applies the creation of the room.
    mutating func create(_ standing: Standing, _ place: PersonState.Place, _ time: Milliseconds) {
        change(at: 1, time) { $0 = PersonState(standing: standing, place: place) }
    }

    /// Applies a reply from which on the person follows the thread.
    mutating func follow(from revision: Revision, _ time: Milliseconds) {
        let join = KnownJoin(at: revision, time, mayBeUnread: isOfThread)
        change(at: revision, time) { $0.place = .member(join, KnownSettings()) }
    }

    private mutating func change(at revision: Revision, _ time: Milliseconds, _ body: (inout PersonState) -> Void) {
        (touched, self.time) = (revision, time)
        var all: [PersonState] = []
        for state in states {
            var state = state
            body(&state)
            if !all.contains(state) { all.append(state) }
        }
        states = all
    }

    /// Drops the states in which an operation would not have been committed, unless that leaves none.
    private mutating func keep(where isPossible: (PersonState) -> Bool) {
        let possible = states.filter(isPossible)
        if !possible.isEmpty { states = possible }
    }
}

/// A possible state of a person in a room.
struct PersonState: Equatable {
    var standing = Standing()
    var place = Place.none

    enum Place: Equatable {
        case none
        case invited(by: UserName, Milliseconds)
        case member(KnownJoin, KnownSettings)
    }

    var isMember: Bool { if case .member = place { true } else { false } }

    /// Returns the states that forgotten operations may have left.
    ///
    /// - Parameter join: a join that is forgotten.
    fileprivate func afterForgotten(_ join: KnownJoin, in kind: RoomName.Kind) -> [PersonState] {
        let joined = PersonState(standing: standing, place: .member(join, .unknown))
        var kept = self
        if case .member(let join, _) = place { kept.place = .member(join, .unknown) }
        switch kind {
        case .open: return standing.isBanned ? [self] : [PersonState(standing: standing), kept, joined]
        case .direct: return [kept]
        case .private:
            guard standing.isAdmitted else { return [self] }
            var left = standing
            left.role = .none
            return [kept, PersonState(standing: left)] + (isMember ? [] : [joined])
        }
    }
}

/// The known bounds of the time at which a person became a member.
struct KnownJoin: Equatable {
    let revisions: ClosedRange<Revision>
    /// `nil` if the operation is forgotten.
    let time: Milliseconds?
    /// True in a thread: the reply by which a person has come to follow it may be unread.
    private let mayBeUnread: Bool

    init(at revision: Revision, _ time: Milliseconds, mayBeUnread: Bool = false) {
        (revisions, self.time, self.mayBeUnread) = (revision...revision, time, mayBeUnread)
    }

    init(within revisions: ClosedRange<Revision>, mayBeUnread: Bool) {
        (self.revisions, time, self.mayBeUnread) = (revisions, nil, mayBeUnread)
    }

    /// Returns how far a person has read at least who came at one of the revisions.
    func read(from joined: Revision) -> Revision { mayBeUnread && joined > 0 ? joined - 1 : joined }
}

/// The known settings of a member. Each is `nil` where the operation is forgotten.
struct KnownSettings: Equatable {
    /// 0 for a room that is not pinned.
    var pinned: UInt64? = 0
    var isMuted: Bool? = false
    var isArchived: Bool? = false
    var marked: Revision? = 0

    static let unknown = KnownSettings(pinned: nil, isMuted: nil, isArchived: nil, marked: nil)

    func changed(by change: SettingsChange, at revision: Revision) -> KnownSettings {
        var known = self
        switch change.pinned {
        case .at(let place): known.pinned = place
        case .off: known.pinned = 0
        case nil: break
        }
        if let isMuted = change.isMuted { known.isMuted = isMuted }
        if let isArchived = change.isArchived { known.isArchived = isArchived }
        if let isMarked = change.isMarked { known.marked = isMarked ? revision : 0 }
        return known
    }

    /// The settings, with those of `stored` for what is not known.
    func filled(from stored: RoomSettings) -> RoomSettings {
        RoomSettings(
            pinned: pinned.map { $0 == 0 ? nil : $0 } ?? stored.pinned, isMuted: isMuted ?? stored.isMuted,
            isArchived: isArchived ?? stored.isArchived, marked: marked ?? stored.marked)
    }
}

extension Standing {
    fileprivate mutating func apply(_ moderation: Moderation, at revision: Revision, _ time: Milliseconds) {
        switch moderation {
        case .mute(_, let span): mutedUntil = time + span
        case .unmute: mutedUntil = 0
        case .kick: kicked = revision
        case .ban: isBanned = true
        case .unban: isBanned = false
        case .appoint(_, let role): self.role = role
        case .invite: role = max(role, .write)
        case .slowMode, .readOnly, .title, .topic, .picture, .pin, .unpin: break
        }
    }
}

extension Moderation {
    /// The name of a moderation that leaves memberships alone; `nil` for others.
    fileprivate var nameOfPassing: String? {
        switch self {
        case .mute: "mute"
        case .unmute: "unmute"
        case .kick: "kick"
        case .ban, .unban, .appoint, .invite, .slowMode, .readOnly, .title, .topic, .picture, .pin, .unpin: nil
        }
    }
}
