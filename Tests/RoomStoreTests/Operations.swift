import ChatRoom
import ChatWire
import RoomStore

/// Minimal operations for tests.
enum Someone {
    static let ann = UserName("ann")!
    static let bob = UserName("bob")!
}

let lobby = RoomName("lobby")!

/// The id with this number.
func id(_ number: UInt64) -> UniqueID {
    UniqueID(high: 0, low: number)
}

extension RoomOperation {
    static func send(
        _ number: UInt64, _ text: String = "hello", by author: UserName = Someone.ann, to room: RoomName = lobby
    ) -> RoomOperation {
        act(number, .send(MessageContent(text)), by: author, in: room)
    }

    static func edit(_ number: UInt64, _ message: UInt64, _ text: String, by author: UserName = Someone.ann)
        -> RoomOperation
    {
        act(number, .edit(id(message), ContentEdit(text)), by: author)
    }

    static func delete(_ number: UInt64, _ message: UInt64, by author: UserName = Someone.ann) -> RoomOperation {
        act(number, .delete(id(message)), by: author)
    }

    static func react(
        _ number: UInt64, _ message: UInt64, _ emoji: String = "👍", _ direction: ClientFrame.Switch = .on,
        by author: UserName = Someone.bob
    ) -> RoomOperation {
        act(number, .react(id(message), emoji: emoji, direction), by: author)
    }

    static func act(
        _ number: UInt64, _ action: RoomAction, by author: UserName, as role: Role = .write,
        in room: RoomName = lobby
    ) -> RoomOperation {
        let time = Milliseconds(1_000 + number)
        return RoomOperation(
            room: room,
            operation: Operation(command: id(number), author: author, role: role, time: time, action: action))
    }

    func at(_ time: Milliseconds) -> RoomOperation {
        let new = Operation(
            command: operation.command, author: operation.author, role: operation.role, time: time,
            action: operation.action)
        return RoomOperation(room: room, operation: new)
    }
}
