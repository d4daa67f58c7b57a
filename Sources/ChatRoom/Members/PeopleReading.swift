package import ChatWire

/// The people in a room at a moment.
package struct PeopleReading: Equatable, Sendable {
    /// The number of people online, including those who are not listed.
    package let online: Int
    /// The listed people, in the order of the list.
    package let listed: [Member]

    package static let nobody = PeopleReading(online: 0, listed: [])
}

extension MembersState {
    package var reading: PeopleReading { PeopleReading(online: online, listed: list.rows.rows) }
}

extension MembersMemory {
    package var reading: PeopleReading { PeopleReading(online: 0, listed: rows) }
}
