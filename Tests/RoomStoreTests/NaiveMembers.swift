import ChatRoom
import ChatWire

/// Who is a member of a room, in the simplest form. It shares nothing with the fold or the stores.
struct NaiveMembers {
    struct Member {
        let joined: Revision
        let time: Milliseconds
        var read: Revision
    }

    private(set) var all: [UserName: Member] = [:]

    /// Whether there is nothing to do for the operation, which may be done.
    func isNeedless(_ operation: Operation) -> Bool {
        switch operation.action {
        case .join: all[operation.author] != nil
        case .leave: all[operation.author] == nil
        case .send, .edit, .delete, .react, .moderate, .create: false
        }
    }

    mutating func take(_ operation: Operation, at revision: Revision) {
        switch operation.action {
        case .join: all[operation.author] = Member(joined: revision, time: operation.time, read: revision)
        case .leave: all[operation.author] = nil
        case .moderate(.ban(let user)): all[user] = nil
        case .moderate, .send, .edit, .delete, .react, .create: break
        }
    }

    mutating func mark(_ user: UserName, upTo revision: Revision, of head: Revision) {
        guard let read = all[user]?.read else { return }
        all[user]?.read = [read, min(revision, head)].max()!
    }
}
