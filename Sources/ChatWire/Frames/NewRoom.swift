/// A room that a person creates, with the people for whom it is. The people do not include its creator.
public enum NewRoom: Equatable, Sendable {
    /// The creator owns the room and has chosen its name, which is an open room's. Everybody who may read it may join it.
    case open(RoomName, title: RoomTitle? = nil)
    /// The creator owns the room, and the people are invited.
    ///
    /// - Shape: at most ``mostInvited`` people, each once.
    case `private`(people: [UserName], title: RoomTitle? = nil)
    /// The one room of these people and its creator: all of them are members.
    ///
    /// - Shape: 1 to ``mostOthers`` people, each once.
    case direct(people: [UserName])

    public static let mostInvited = 50
    public static let mostOthers = 7

    public var people: [UserName] {
        switch self {
        case .open: []
        case .private(let people, _), .direct(let people): people
        }
    }

    public var title: RoomTitle? {
        switch self {
        case .open(_, let title), .private(_, let title): title
        case .direct: nil
        }
    }

    public var kind: RoomName.Kind {
        switch self {
        case .open: .open
        case .private: .private
        case .direct: .direct
        }
    }
}
