import ChatRoom
import ChatWire

/// One person's list of rooms under one token's grants. Readers with equal grants share it.
///
/// It is changed in its place: a message in a large room changes thousands of them.
final class PersonalList {
    struct Key: Hashable {
        let user: UserName
        let grants: Grants
    }

    /// The number of lists that the shard had opened before.
    let number: UInt64
    var inbox: Inbox
    var readers: ListBroadcaster<MyRoom>
    /// The number of the last time that its last reader left; `nil` while it has readers.
    var rest: UInt64?

    init(number: UInt64, inbox: Inbox, readers: ListBroadcaster<MyRoom>) {
        self.number = number
        self.inbox = inbox
        self.readers = readers
    }
}
