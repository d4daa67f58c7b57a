import ChatRoom
package import ChatWire

/// A request about files, which no room answers.
package enum FileRequest: Equatable, Sendable {
    case upload(UploadRequest)
    case links(LinksRequest)

    var room: RoomName {
        switch self {
        case .upload(let request): request.room
        case .links(let request): request.room
        }
    }

    /// The role that a person must have in the room. Whether they may send the message is decided when they do.
    var least: Role {
        switch self {
        case .upload: .write
        case .links: .read
        }
    }
}
