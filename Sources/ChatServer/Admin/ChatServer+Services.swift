import ChatRoom
import ChatWire
import JSON
import Tokens
import WebSocketTransport

extension ChatServer {
    /// Carries out a command in a room, in the same way as a client's, and with an owner's rights.
    func carryOut(_ command: ServiceCommand, _ id: RequestID) {
        guard let (room, name, action) = command.request.operation(by: command.author) else {
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
        var operation = Operation(command: name, author: command.author, role: .own, time: .now, action: action)
        operation.asker = .service
        shard(of: room).receive([.serve(operation, reader, room)])
    }
}

extension ClientFrame.Request {
    /// The room, the command's id and the action; `nil` for a request that a room does not store.
    func operation(by author: UserName) -> (RoomName, CommandID, RoomAction)? {
        switch self {
        case .send(let room, let id, let text, let replyTo, let mentions):
            (room, id, .send(text: text, replyTo: replyTo, mentions: mentions))
        case .edit(let room, let command, let id, let text, let mentions):
            (room, command, .edit(id, text: text, mentions: mentions))
        case .delete(let room, let command, let id): (room, command, .delete(id))
        case .react(let room, let command, let id, let emoji, let direction):
            (room, command, .react(id, emoji: emoji, direction))
        case .moderate(let room, let command, let moderation): (room, command, .moderate(moderation))
        case .create(let command, let new):
            (RoomName(of: new, by: author, command), command, .create(new))
        case .hello, .subscribe, .unsubscribe, .page, .typing, .read, .join, .leave, .audit, .token, .ping: nil
        }
    }
}
