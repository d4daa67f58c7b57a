import ChatRoom
import ChatWire
import JSON
import Tokens
import WebSocketTransport

extension ChatServer {
    /// Performs a command in a room, in the same way as a client's, and with an owner's rights.
    func perform(_ command: ServiceCommand, _ id: RequestID) {
        let (room, action): (RoomName, RoomAction)
        do throws(WireError) { (room, action) = try command.target(identity) } catch {
            return transport.respond(to: id, .error(error))
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
        var operation = Operation(
            command: command.command, author: command.author, role: .own, time: .now, action: action)
        operation.requester = .service
        shard(of: room).enqueue([.serve(operation, reader, room)])
    }
}

extension ServiceCommand {
    /// The room, and what is done in it.
    fileprivate func target(_ server: ServerIdentity) throws(WireError) -> (room: RoomName, action: RoomAction) {
        switch request {
        case .send(let room, let id, let content):
            return (room, .send(try server.checked(content, of: id, in: room, by: author)))
        case .edit(let room, _, let id, let edit): return (room, .edit(id, edit))
        case .grow(let room, _, let id, let step): return (room, .grow(id, step))
        case .delete(let room, _, let id): return (room, .delete(id))
        case .react(let room, _, let id, let emoji, let direction): return (room, .react(id, emoji: emoji, direction))
        case .moderate(let room, _, let moderation): return (room, .moderate(moderation))
        case .create(_, let new): return (RoomName(of: new, by: author, command), .create(new))
        case .join(let room, _): return (room, .join)
        case .leave(let room, _): return (room, .leave)
        case .hello, .subscribe, .unsubscribe, .page, .mentionsPage, .membersPage, .typing, .read, .readRooms,
            .settings, .audit,
            .search, .upload, .links, .people, .draft, .later, .block, .token, .ping:
            preconditionFailure("a service asks for \(request)")
        }
    }
}
