import ChatRoom
import ChatWire
import RoomStore

/// The columns of the queries for messages and operations, as values. Each has the room's name in front.
extension Row {
    func room() throws(PostgresFailure) -> RoomName {
        guard let room = RoomName(text(0)) else { throw senseless(0) }
        return room
    }

    /// The message, and the revision that last replaced its content.
    func message() throws(PostgresFailure) -> (Message, reloaded: Revision) {
        let message = Message(
            id: try id(2), section: .history, sort: try revision(1), rev: try revision(3), author: try user(5),
            time: try integer(6), text: text(7), edited: isNull(8) ? nil : try integer(8),
            replyTo: isNull(9) ? nil : try id(9), reactions: try reactions(10))
        return (message, try revision(4))
    }

    func change() throws(PostgresFailure) -> RoomChange {
        let (message, reloaded) = try message()
        return .row(message, reloaded: reloaded)
    }

    func committedOperation() throws(PostgresFailure) -> CommittedOperation {
        let operation = Operation(
            command: try id(2), author: try user(3), role: try role(8), time: try integer(4), action: try action())
        return CommittedOperation(revision: try revision(1), operation: operation)
    }

    private func action() throws(PostgresFailure) -> Operation.Action {
        guard let kind = OperationKind(rawValue: try integer(5)) else { throw senseless(5) }
        return switch kind {
        case .send: .send(text: text(7), replyTo: isNull(6) ? nil : try id(6))
        case .edit: .edit(try id(6), text: text(7))
        case .delete: .delete(try id(6))
        case .react: .react(try id(6), emoji: text(7), .on)
        case .unreact: .react(try id(6), emoji: text(7), .off)
        }
    }

    private func role(_ column: Int32) throws(PostgresFailure) -> Role {
        guard let role = Int(exactly: try integer(column)).flatMap(Role.init(rawValue:)) else {
            throw senseless(column)
        }
        return role
    }

    private func user(_ column: Int32) throws(PostgresFailure) -> UserName {
        guard let user = UserName(text(column)) else { throw senseless(column) }
        return user
    }

    private func reactions(_ column: Int32) throws(PostgresFailure) -> [Reaction] {
        guard let reactions = ReactionBytes.decoding(bytes(column)) else { throw senseless(column) }
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
