import ChatRoom
import ChatWire

/// A person who follows lists of their own, as one shard knows them.
struct PersonState {
    var phase: Phase
    var rooms: Set<RoomName> = []
    /// In the order in which they were opened.
    var lists: [PersonalList] = []
    var waiting: [Waiting] = []
    /// True when the places under way may lack a room, or have one too many.
    var isStale = false
    /// The parts of the store that did not answer about the person.
    var missing: Set<Int> = []
    /// The rooms that have changed while the places are read.
    var changed: Set<RoomName> = []
    /// The number of the refresh under way; `nil` if there is none.
    var refresh: UInt64?
    /// The number of the question for the places of another list of a person whose rooms are known; `nil` if there is
    /// none.
    var opening: UInt64?

    /// True while the places are read.
    var isLoading: Bool { phase != .live || opening != nil }

    enum Phase: Equatable {
        /// The store is asked for the places, since a time. → `watching`, `live`
        case loading(since: UInt64)
        /// Some rooms' shards have yet to say that they send each change. → `asking`
        case watching
        /// The person's rooms are known, and kept up to date.
        case live
    }

    /// A reader who waits for a list.
    struct Waiting {
        let reader: Reader
        let list: OwnList
        var grants: Grants
        /// `nil` for a reader that had the list already, and awaits no answer.
        let request: (visit: UInt64, ref: UInt64)?
        let limit: Int
        let resume: Resume?
        /// True when the rooms were read for this reader, or are being read.
        var isAwaited = false
    }

    /// A reader of one of the lists.
    struct Seat: Hashable {
        let reader: Reader
        let list: OwnList
    }
}

extension PersonState.Waiting {
    /// A reader that had the list of an epoch, at a revision that the shard does not know. It gets a snapshot, also of the
    /// same list: its grants may have changed and changed back meanwhile. As one that is ahead it is never sent a diff.
    init(_ seat: PersonState.Seat, _ grants: Grants, limit: Int, holding epoch: Epoch) {
        self.init(
            reader: seat.reader, list: seat.list, grants: grants, request: nil, limit: limit,
            resume: Resume(epoch: epoch, revision: .max, joined: 0))
    }

    var seat: PersonState.Seat { PersonState.Seat(reader: reader, list: list) }
}
