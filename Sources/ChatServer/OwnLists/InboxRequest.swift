package import ChatRoom
package import ChatWire

/// The kinds of list that every person has.
package enum OwnList: Sendable {
    case rooms
    /// The threads that the person follows.
    case threads
    case mentions

    /// The list of a person that has this name.
    package init(_ name: ListName) {
        self = name == .myMentions ? .mentions : name == .myThreads ? .threads : .rooms
    }

    /// The list of rooms or threads; `nil` for another one.
    var inbox: InboxKind? {
        switch self {
        case .rooms: .rooms
        case .threads: .threads
        case .mentions: nil
        }
    }

    var name: ListName {
        switch self {
        case .rooms: .myRooms
        case .threads: .myThreads
        case .mentions: .myMentions
        }
    }
}

/// The two lists of a person that consist of rooms.
enum InboxKind: CaseIterable {
    case rooms, threads

    /// The one that has a room.
    init(of room: RoomName) { self = room.isThread ? .threads : .rooms }

    var list: OwnList {
        switch self {
        case .rooms: .rooms
        case .threads: .threads
        }
    }
}

/// A session's request about a list of its user's.
package enum InboxRequest: Equatable, Sendable {
    /// - Parameter limit: the number of rows; of rooms, in each of the sections that are not shown whole.
    case subscribe(OwnList, Grants, visit: UInt64, ref: UInt64, limit: Int, Resume?)
    /// Older messages that mention the user than those that a reader of the list holds.
    case mentionsPage(before: MentionPlace, ref: UInt64, limit: Int)
    /// The connection unsubscribed, or has ended.
    case unsubscribe(OwnList)
    /// A fresh token has other grants. To be answered with ``SessionState/regranted(_:)``, when nothing can come any more
    /// that it does not grant.
    case regrant(OwnList, Grants, ref: UInt64)
}
