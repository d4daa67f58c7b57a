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

    let key: Key
    /// The number of lists that the shard had opened before.
    let number: UInt64
    var rooms: PublishedList<Inbox>
    var mentions: PublishedList<MentionList>?
    /// The bytes that count against the budget.
    var heldBytes = 0
    /// The number of the last time that its last reader left; `nil` while it has readers.
    var rest: UInt64?

    init(_ key: Key, number: UInt64, _ rooms: PublishedList<Inbox>) {
        self.key = key
        self.number = number
        self.rooms = rooms
    }

    var user: UserName { key.user }

    var isFollowed: Bool { rooms.state.isFollowed || mentions?.state.isFollowed == true }

    /// About the bytes of the list: of one without rows, of its rows and of all of its rooms.
    var bytes: Int { 8_192 + rowCount * 2_048 + rooms.state.rooms.count * 512 }

    /// The number of rows.
    var rowCount: Int { rooms.state.rowCount + (mentions?.state.rowCount ?? 0) }

    /// The time at which something is to be asked or told; `nil` if there is nothing, or no reader.
    var due: Duration? {
        let due = isFollowed ? rooms.state.due : nil
        guard let mentions = mentions?.state.due else { return due }
        return min(mentions, due ?? mentions)
    }

    /// The epoch of one of the lists; `nil` if it does not exist.
    func epoch(of list: OwnList) -> Epoch? {
        switch list {
        case .rooms: rooms.state.epoch
        case .mentions: mentions?.state.epoch
        }
    }

    var seats: [PersonState.Seat] {
        rooms.state.readers.map { .init(reader: $0, list: .rooms) }
            + (mentions?.state.readers ?? []).map { .init(reader: $0, list: .mentions) }
    }
}
