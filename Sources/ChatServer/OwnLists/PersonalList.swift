import ChatRoom
import ChatWire

/// One person's lists under one token's grants: of rooms, and of mentions once it is requested. Readers with equal
/// grants share them.
///
/// It is changed in its place: a message in a large room changes thousands of them.
final class PersonalList {
    struct Key: Equatable {
        let user: UserName
        let grants: Grants
    }

    struct Mentions {
        var list: MentionList
        let readers: ListBroadcaster<MyMention>
    }

    let key: Key
    /// The number of lists that the shard had opened before.
    let number: UInt64
    var inbox: Inbox
    let readers: ListBroadcaster<MyRoom>
    var mentions: Mentions?
    /// The bytes that count against the budget.
    var heldBytes = 0
    /// The number of the last time that its last reader left; `nil` while it has readers.
    var rest: UInt64?

    init(_ key: Key, number: UInt64, inbox: Inbox, readers: ListBroadcaster<MyRoom>) {
        self.key = key
        self.number = number
        self.inbox = inbox
        self.readers = readers
    }

    var user: UserName { key.user }

    var isFollowed: Bool { !readers.isEmpty || mentions?.readers.isEmpty == false }

    /// About the bytes of the list: of one without rows, of its rows and of all of its rooms.
    var bytes: Int { 8_192 + count * 2_048 + inbox.rooms.count * 512 }

    /// The number of rows.
    var count: Int { inbox.count + (mentions?.list.count ?? 0) }

    /// The time at which something is to be asked or told; `nil` if there is nothing, or no reader.
    var due: Duration? {
        let due = isFollowed ? inbox.due : nil
        guard let mentions = mentions?.list.due else { return due }
        return min(mentions, due ?? mentions)
    }

    /// The epoch of one of the lists; `nil` if it does not exist.
    func epoch(of list: OwnList) -> Epoch? {
        switch list {
        case .rooms: inbox.epoch
        case .mentions: mentions?.list.epoch
        }
    }

    var seats: [Inboxes.Seat] {
        inbox.readers.map { .init(reader: $0, list: .rooms) }
            + (mentions?.list.readers ?? []).map { .init(reader: $0, list: .mentions) }
    }
}
