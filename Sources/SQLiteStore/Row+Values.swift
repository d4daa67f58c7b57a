import ChatRoom
import ChatWire
import RoomStore

/// The columns of the queries for messages and operations, as values.
extension Row {
    /// The message, and the revision that last replaced its content.
    func message() throws(RoomStoreError) -> (Message, reloaded: Revision) {
        let message = Message(
            id: try id(1), section: .history, sort: try revision(0), rev: try revision(2), author: try user(4),
            time: integer(5), text: try text(6), edited: isNull(7) ? nil : integer(7),
            replyTo: isNull(8) ? nil : try id(8), reactions: try reactions(9))
        return (message, try revision(3))
    }

    func committedOperation() throws(RoomStoreError) -> CommittedOperation {
        let operation = Operation(
            command: try id(1), author: try user(2), role: try role(7), time: integer(3), action: try action())
        return CommittedOperation(revision: try revision(0), operation: operation)
    }

    private func action() throws(RoomStoreError) -> Operation.Action {
        guard let kind = OperationKind(rawValue: integer(4)) else { throw damaged(4) }
        return switch kind {
        case .send: .send(text: try text(6), replyTo: isNull(5) ? nil : try id(5))
        case .edit: .edit(try id(5), text: try text(6))
        case .delete: .delete(try id(5))
        case .react: .react(try id(5), emoji: try text(6), .on)
        case .unreact: .react(try id(5), emoji: try text(6), .off)
        }
    }

    private func role(_ column: Int32) throws(RoomStoreError) -> Role {
        guard let role = Int(exactly: integer(column)).flatMap(Role.init(rawValue:)) else { throw damaged(column) }
        return role
    }

    private func user(_ column: Int32) throws(RoomStoreError) -> UserName {
        guard let user = UserName(try text(column)) else { throw damaged(column) }
        return user
    }

    private func reactions(_ column: Int32) throws(RoomStoreError) -> [Reaction] {
        if isNull(column) { return [] }
        guard let reactions = ReactionBytes.decoding(bytes(column)) else { throw damaged(column) }
        return reactions
    }
}

/// What an operation's row says that it is.
enum OperationKind: Int64 {
    case send = 1
    case edit = 2
    case delete = 3
    case react = 4
    case unreact = 5
}

extension Operation.Action {
    /// The values of the columns `kind`, `target` and `text`.
    var columns: (kind: OperationKind, target: MessageID?, text: String?) {
        switch self {
        case .send(let text, let replyTo): (.send, replyTo, text)
        case .edit(let id, let text): (.edit, id, text)
        case .delete(let id): (.delete, id, nil)
        case .react(let id, let emoji, .on): (.react, id, emoji)
        case .react(let id, let emoji, .off): (.unreact, id, emoji)
        }
    }
}
