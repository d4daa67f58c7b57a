package import ChatWire

/// The kinds of list that every room has.
package enum RoomList: CaseIterable, Sendable {
    case messages
    case members
    case pins

    package func name(in room: RoomName) -> ListName {
        switch self {
        case .messages: .messages(room)
        case .members: .members(room)
        case .pins: .pins(room)
        }
    }
}

extension ListName {
    /// The room and the kind of list; `nil` for a list that belongs to a person.
    package var ofRoom: (room: RoomName, list: RoomList)? {
        switch self {
        case .messages(let room): (room, .messages)
        case .members(let room): (room, .members)
        case .pins(let room): (room, .pins)
        case .myRooms, .myThreads, .myMentions, .myPeople, .myDrafts, .myLater, .myBlocked: nil
        }
    }
}
