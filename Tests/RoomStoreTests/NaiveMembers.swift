import ChatRoom
import ChatWire

/// Who is a member of a room, in the simplest form. It shares nothing with the fold or the stores.
struct NaiveMembers {
    struct Member {
        let joined: Revision
        let time: Milliseconds
        var read: Revision
        var pinned: UInt64?
        var isMuted = false
        var isArchived = false
        var marked: Revision = 0

        func settled(by change: SettingsChange, at revision: Revision) -> Member {
            var member = self
            if case .at(let place) = change.pinned { member.pinned = place }
            if change.pinned == .off { member.pinned = nil }
            if let isMuted = change.isMuted { member.isMuted = isMuted }
            if let isArchived = change.isArchived { member.isArchived = isArchived }
            if change.isMarked == true { member.marked = revision }
            if change.isMarked == false { member.marked = 0 }
            if let sort = change.unreadFrom, sort <= read { member.read = sort > joined ? sort - 1 : joined }
            return member
        }

        var settings: RoomSettings {
            RoomSettings(pinned: pinned, isMuted: isMuted, isArchived: isArchived, marked: marked)
        }
    }

    private(set) var all: [UserName: Member] = [:]

    /// Whether the operation may be done, as far as memberships decide that.
    func allow(_ operation: Operation) -> Bool {
        if case .settings = operation.action { all[operation.author] != nil } else { true }
    }

    /// Whether it is the join of a member, or the leave of somebody who is none.
    func isNeedless(_ operation: Operation) -> Bool {
        switch operation.action {
        case .join: all[operation.author] != nil
        case .leave: all[operation.author] == nil
        case .settings, .send, .edit, .grow, .delete, .react, .summarize, .moderate, .create: false
        }
    }

    mutating func take(_ operation: Operation, at revision: Revision) {
        switch operation.action {
        case .join where all[operation.author] != nil: break
        case .join: all[operation.author] = Member(joined: revision, time: operation.time, read: revision)
        case .leave: all[operation.author] = nil
        case .settings(let change): all[operation.author] = all[operation.author]?.settled(by: change, at: revision)
        case .moderate(.ban(let user)): all[user] = nil
        case .send: all[operation.author]?.read = revision
        case .moderate, .edit, .grow, .delete, .react, .summarize, .create: break
        }
    }

    mutating func mark(_ user: UserName, upTo revision: Revision, of head: Revision) {
        guard let member = all[user] else { return }
        let isTooEarly = member.marked > member.read && revision < member.marked
        if !isTooEarly { all[user]?.read = [member.read, min(revision, head)].max()! }
    }
}
