package import ChatRoom
package import ChatWire
import Locking
import WebSocketTransport

/// A connection's request to mark all as read in several rooms.
package struct RoomsToRead: Equatable, Sendable {
    /// Each once.
    package let rooms: [RoomName]
    package let user: UserName
    package let grants: Grants
    package let ref: UInt64
}

extension ChatServer {
    /// Sends the request to each room. The connection gets one answer, when the last room has answered.
    func inputs(of asked: RoomsToRead, from connection: ConnectionID) -> [(room: RoomName, input: ShardInput)] {
        let results = Guarded<[RoomName: Result<Revision, WireError>]>([:])
        return asked.rooms.map { room in
            let reader = gateway.services.reader { [self] frame in
                let all = results.withLock { results in
                    results[room] = frame.resultOfReading
                    return results.count == asked.rooms.count ? results : nil
                }
                if let all { answer(asked, all, to: connection) }
            }
            let visitor = Visitor(user: asked.user, grant: asked.grants.role(in: room), visit: 0)
            return (room, .request(.readAll(visitor, ref: asked.ref), reader, room))
        }
    }

    private func answer(
        _ asked: RoomsToRead, _ results: [RoomName: Result<Revision, WireError>], to connection: ConnectionID
    ) {
        let rooms = asked.rooms.compactMap { room in
            results[room].map { ServerFrame.RoomRead(room: room, result: $0) }
        }
        let frame = ServerFrame.roomsRead(ref: asked.ref, rooms)
        sessions.deliver([.answered(connection, costing: 0)], onLoop: connection.loop)
        metrics.answered(frame)
        transport.send(Frame(text: frame.json), to: connection)
    }
}

extension ServerFrame {
    /// The outcome of a room's answer to a read mark.
    fileprivate var resultOfReading: Result<Revision, WireError> {
        switch self {
        case .ok(_, let effect?): .success(effect.revision)
        case .error(_, let error): .failure(error)
        case let other: preconditionFailure("a read mark is answered with \(other)")
        }
    }
}
