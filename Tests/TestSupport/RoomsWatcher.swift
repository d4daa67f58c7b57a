package import ChatWire
package import Replicas

/// A connection that follows its user's rooms.
package final class RoomsWatcher {
    package let connection: Connection
    package private(set) var rooms: Replica<MyRoom>
    /// The answer to the last subscribe.
    package let answer: ServerFrame
    package private(set) var diffs = 0

    /// - Parameter held: the rows that the watcher comes back with.
    package init(_ connection: Connection, holding held: Replica<MyRoom>? = nil) async throws {
        self.connection = connection
        answer = try await connection.answer(to: .subscribe(.myRooms, limit: 50, resume: held?.resume()))
        switch (answer, held) {
        case (.roomsSnapshot(_, let snapshot), _):
            rooms = try Replica(snapshot)
        case (.roomsDiff(_, let epoch, let diff), var held?):
            try held.apply(diff, epoch: epoch)
            rooms = held
        default:
            throw NoRooms(answer: answer)
        }
    }

    /// The answer was another frame.
    package struct NoRooms: Error {
        package let answer: ServerFrame

        package init(answer: ServerFrame) {
            self.answer = answer
        }
    }

    /// Sends a request and returns its answer. News of the list that comes before is applied.
    package func answer(to request: ClientFrame.Request) async throws -> ServerFrame {
        let ref = connection.send(request)
        while true {
            let frame = try await connection.frame()
            if frame.ref == ref { return frame }
            _ = try take(frame)
        }
    }

    /// Applies the next news of the list.
    package func next() async throws {
        while try await !take(connection.frame()) {}
    }

    /// Returns whether the frame is news of the list.
    private func take(_ frame: ServerFrame) throws -> Bool {
        switch frame {
        case .roomsDiff(nil, let epoch, let diff):
            try rooms.apply(diff, epoch: epoch)
            diffs += 1
            return true
        case .roomsSnapshot(nil, let snapshot):
            rooms = try Replica(snapshot)
            return true
        default: return false
        }
    }

    package func until(_ condition: (RoomsWatcher) -> Bool) async throws {
        while !condition(self) { try await next() }
    }

    package var names: [String] { rooms.rows.map(\.id.description) }

    package subscript(name: String) -> MyRoom? { RoomName(name).flatMap { rooms[$0] } }
}
