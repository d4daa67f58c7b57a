import ChatRoom
import ChatWire

/// One person's list of rooms under one token's grants. Readers with equal grants share it.
struct PersonalList {
    struct Key: Hashable {
        let user: UserName
        let grants: Grants
    }

    var inbox: Inbox
    var readers: ListBroadcaster<MyRoom>
    /// The number of the last time that its last reader left; `nil` while it has readers.
    var rest: UInt64?
}
