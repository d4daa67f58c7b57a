import ChatRoom
import ChatWire

/// One person's lists under one token's grants: of rooms, of threads, and of mentions once it is requested. Readers with
/// equal grants share them.
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
    private var rooms: PublishedList<Inbox>
    private var threads: PublishedList<Inbox>
    var mentions: PublishedList<MentionList>?
    /// The bytes that count against the budget.
    var heldBytes = 0
    /// The number of the last time that its last reader left; `nil` while it has readers.
    var rest: UInt64?

    init(_ key: Key, number: UInt64, _ make: (InboxKind) -> PublishedList<Inbox>) {
        self.key = key
        self.number = number
        (rooms, threads) = (make(.rooms), make(.threads))
    }

    subscript(kind: InboxKind) -> PublishedList<Inbox> {
        get {
            switch kind {
            case .rooms: rooms
            case .threads: threads
            }
        }
        // A copy would share the storage, which each change would then copy, too.
        _modify {
            switch kind {
            case .rooms: yield &rooms
            case .threads: yield &threads
            }
        }
    }

    /// The rooms and threads of the list, in any order, with and without rows.
    var places: [RoomName] { Array(rooms.state.rooms) + threads.state.rooms }

    /// Those that have rows, or are to get them.
    var needed: Set<RoomName> { rooms.state.needed.union(threads.state.needed) }

    /// Returns whether a room has a row, or is to get one.
    func needs(_ room: RoomName) -> Bool { self[InboxKind(of: room)].state.needs(room) }

    func section(of room: RoomName) -> MyRoom.Section? { self[InboxKind(of: room)].state.section(of: room) }

    /// Shows which parts of the store have not answered about the person.
    func note(missing: Set<Int>) {
        rooms.state.missing = missing
        threads.state.missing = missing
        mentions?.state.missing = missing
    }

    func forgetDeliveries() {
        rooms.forgetDeliveries()
        threads.forgetDeliveries()
        mentions?.forgetDeliveries()
    }

    /// Detaches all readers. It must be the last call.
    func close(_ decision: inout ShardDecision) {
        rooms.close(&decision)
        threads.close(&decision)
        mentions?.close(&decision)
    }

    func unsubscribe(_ reader: Reader, from list: OwnList, _ decision: inout ShardDecision) {
        if let kind = list.inbox {
            self[kind].unsubscribe(reader, &decision)
        } else {
            mentions?.unsubscribe(reader, &decision)
        }
    }

    /// The reader fell off the outgoing log. It holds this revision.
    func fellBehind(_ reader: Reader, of list: OwnList, at revision: Revision, _ decision: inout ShardDecision) {
        if let kind = list.inbox {
            self[kind].fellBehind(reader, at: revision, &decision)
        } else {
            mentions?.fellBehind(reader, at: revision, &decision)
        }
    }

    var user: UserName { key.user }

    var isFollowed: Bool {
        rooms.state.isFollowed || threads.state.isFollowed || mentions?.state.isFollowed == true
    }

    /// About the bytes of the list: of one without rows, of its rows and of all of its rooms.
    var bytes: Int { 8_192 + rowCount * 2_048 + (rooms.state.rooms.count + threads.state.rooms.count) * 512 }

    /// The number of rows.
    var rowCount: Int { rooms.state.rowCount + threads.state.rowCount + (mentions?.state.rowCount ?? 0) }

    /// The time at which something is to be asked or told; `nil` if there is nothing, or no reader.
    var due: Duration? {
        let ofRooms = isFollowed ? earlier(rooms.state.due, threads.state.due) : nil
        return earlier(ofRooms, mentions?.state.due)
    }

    /// The epoch of one of the lists; `nil` if it does not exist.
    func epoch(of list: OwnList) -> Epoch? {
        list.inbox.map { self[$0].state.epoch } ?? mentions?.state.epoch
    }

    /// The number of rows that readers of one of the lists have asked for.
    func limit(of list: OwnList) -> Int { self[list.inbox ?? .rooms].state.limit }

    var seats: [PersonState.Seat] {
        InboxKind.allCases.flatMap { kind in
            self[kind].state.readers.map { PersonState.Seat(reader: $0, list: kind.list) }
        }
            + (mentions?.state.readers ?? []).map { .init(reader: $0, list: .mentions) }
    }
}

private func earlier(_ one: Duration?, _ other: Duration?) -> Duration? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
}
