package import ChatRoom
package import ChatWire
package import RoomStore

/// A shard's query to the store, for the lists of its people.
package enum InboxQuery: Sendable {
    /// The places of all rooms of a person, in this epoch. The number is in the answer.
    case person(UserName, number: UInt64, of: Epoch)
    /// A person's memberships in some rooms, in this epoch.
    case rooms(UserName, [RoomName], number: UInt64, of: Epoch)
    /// The memberships of people in one room, in this epoch.
    case room(RoomName, [UserName], number: UInt64, of: Epoch)
    /// The newest messages in some rooms that mention a person, for the list of this number, in this epoch.
    case mentions(UserName, in: [RoomName], list: UInt64, of: Epoch)
    case mentionsPage(MentionsQuery)
    /// The profiles of some people.
    case profiles([UserName])
    /// The drafts of some people.
    case drafts([UserName])
    /// The items of some people's `me/later`.
    case later([UserName])
    /// The users whom some people have blocked.
    case blocks([UserName])
}

/// A connection's query for older messages that mention its user, in some rooms.
package struct MentionsQuery: Sendable {
    package let user: UserName
    package let rooms: [RoomName]
    package let reader: Reader
    package let ref: UInt64
    package let before: MentionPlace
    package let limit: Int
    /// The epoch that the readings must be of.
    package let epoch: Epoch

    /// Queries the store for one message more than needed, which shows whether there are more.
    package func readings(in store: any RoomStore) throws(RoomStoreError) -> [MentionReading] {
        // The place's room may be in a database that does not answer, and the others go on.
        let spot = (try? store.spot(of: before)) ?? MentionSpot(id: before.id, instant: before.time)
        return try store.mentions(of: user, in: rooms, before: spot, limit: limit + 1)
    }
}

/// The store's answer to an ``InboxQuery``.
package enum InboxAnswer: Sendable {
    /// The places are `nil` if the store has another epoch than the query.
    case person(UserName, number: UInt64, of: Epoch, Result<PartialReading<[MembershipPlace]>?, WireError>)
    /// The readings are `nil` if the store has another epoch than the query.
    case rooms(UserName, [RoomName], number: UInt64, of: Epoch, Result<PartialReading<[MembershipReading]>?, WireError>)
    /// The readings are `nil` if the store has another epoch than the query.
    case room(RoomName, [UserName], number: UInt64, of: Epoch, Result<[UserName: MembershipReading]?, WireError>)
    /// The readings are `nil` if the store has another epoch than the query.
    case mentions(UserName, list: UInt64, of: Epoch, Result<PartialReading<[MentionReading]>?, WireError>)
    /// The readings are `nil` if the store has another epoch than the query.
    case mentionsPage(MentionsQuery, Result<[MentionReading]?, WireError>)
    /// The profiles of the people who have one.
    case profiles([UserName], Result<PartialReading<[UserName: Profile]>, WireError>)
    /// The drafts of the people who have one.
    case drafts([UserName], Result<PartialReading<[UserName: [StoredDraft]]>, WireError>)
    /// The items of the people who have one.
    case later([UserName], Result<PartialReading<[UserName: [StoredLater]]>, WireError>)
    /// The blocks of the people who have one.
    case blocks([UserName], Result<PartialReading<[UserName: [StoredBlock]]>, WireError>)
}
