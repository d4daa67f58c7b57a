import ChatRoom
import ChatWire
import RoomStore
import StoreEngine

extension OperationKind {
    /// The format that introduced this kind. It is not written before that format is in force.
    var format: Int {
        switch self {
        case .send, .edit, .delete, .react, .unreact: 1
        case .remove, .mute, .unmute, .kick, .ban, .unban, .slowMode, .readOnly, .appoint: 2
        case .join, .leave: 9
        case .title, .createPrivate, .createDirect: 11
        case .invite: 12
        case .settings: 14
        case .topic, .picture: 15
        case .createOpen: 18
        case .pin, .unpin: 24
        case .append, .close: Schema.growth
        case .summarize: Schema.summaries
        }
    }
}

extension Operation {
    /// The format that introduced such an operation.
    ///
    /// - Parameter row: the message that it concerns.
    func format(about row: Message?, in room: RoomName) -> Int {
        let format = room.isThread ? Schema.threads : OperationColumns(self, about: row, as: .apart).format
        return switch action {
        case .send(let content) where content.growth != nil: max(format, Schema.growth)
        case .send(let content) where content.data != nil || !content.files.isEmpty: max(format, Schema.wholeContents)
        case .edit(_, let edit) where edit.data != nil: max(format, Schema.wholeContents)
        default: format
        }
    }
}

extension OperationColumns {
    fileprivate var format: Int {
        mentions.everyone ? max(kind.format, 13) : mentions.isEmpty ? kind.format : max(kind.format, 10)
    }
}
