import ChatRoom
import ChatWire
import JSON
import WebSocketTransport

extension ChatServer {
    /// Carries out a command in a room, in the same way as a client's, and with an owner's rights.
    func carryOut(_ command: ServiceCommand, _ id: RequestID) {
        guard let (room, name, action) = command.request.operation else {
            preconditionFailure("a service asks for \(command.request)")
        }
        let reader = gateway.services.reader { [self] frame in
            switch frame {
            case .ok(_, let effect?):
                respond(to: id) { json in
                    json.string("room", room.description)
                    json.number("revision", effect.revision)
                }
            case .error(_, let error): transport.respond(to: id, .error(error))
            case let other: preconditionFailure("an operation is answered with \(other)")
            }
        }
        let operation = Operation(command: name, author: command.author, role: .own, time: .now, action: action)
        shard(of: room).receive([.serve(operation, reader, room)])
    }
}

extension ClientFrame.Request {
    /// The room, the command's id and the action; `nil` for a request that a room does not store.
    var operation: (RoomName, CommandID, RoomAction)? {
        switch self {
        case .send(let room, let id, let text, let replyTo): (room, id, .send(text: text, replyTo: replyTo))
        case .edit(let room, let command, let id, let text): (room, command, .edit(id, text: text))
        case .delete(let room, let command, let id): (room, command, .delete(id))
        case .react(let room, let command, let id, let emoji, let direction):
            (room, command, .react(id, emoji: emoji, direction))
        case .moderate(let room, let command, let moderation): (room, command, .moderate(moderation))
        case .hello, .subscribe, .unsubscribe, .page, .typing, .read, .join, .leave, .audit, .token, .ping: nil
        }
    }
}
