package import ChatWire
package import Replicas

/// A connection that follows one list of its user's.
package final class ListWatcher<Row: OwnRow> {
    package let connection: Connection
    private let name: ListName
    package private(set) var list: Replica<Row>
    /// The answer to the last subscribe.
    package let answer: ServerFrame
    package private(set) var diffs = 0
    /// The number of rows that diffs have moved.
    package private(set) var moves = 0

    /// - Parameter held: the rows that the watcher comes back with.
    package init(
        _ connection: Connection, of name: ListName = Row.list, holding held: Replica<Row>? = nil
    ) async throws {
        (self.connection, self.name) = (connection, name)
        answer = try await connection.answer(to: .subscribe(name, limit: 50, resume: held?.resume()))
        switch (Row.news(in: answer, of: name), held) {
        case (.snapshot(let snapshot), _):
            list = try Replica(snapshot)
        case (.diff(let epoch, let diff), var held?):
            try held.apply(diff, epoch: epoch)
            list = held
        default:
            throw OtherAnswer(answer: answer)
        }
    }

    /// The answer was another frame.
    package struct OtherAnswer: Error {
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
        guard frame.ref == nil, let news = Row.news(in: frame, of: name) else { return false }
        switch news {
        case .snapshot(let snapshot):
            list = try Replica(snapshot)
        case .diff(let epoch, let diff):
            try list.apply(diff, epoch: epoch)
            diffs += 1
            moves += diff.moves.count
        }
        return true
    }

    package func until(_ condition: (ListWatcher) -> Bool) async throws {
        while !condition(self) { try await next() }
    }
}

/// A row of a list of one's own.
package protocol OwnRow: ListRow {
    /// The list that usually has such rows.
    static var list: ListName { get }
}

extension OwnRow {
    /// Returns the part of a frame that is about the list; `nil` if it is another frame.
    package static func news(in frame: ServerFrame, of list: ListName = Self.list) -> ListNews<Self>? {
        switch frame {
        case .snapshot(_, list, let snapshot as ServerFrame.Snapshot<Self>): .snapshot(snapshot)
        case .diff(_, list, let epoch, let diff as ListDiff<Self>): .diff(epoch, diff)
        default: nil
        }
    }
}

package enum ListNews<Row: ListRow> {
    case snapshot(ServerFrame.Snapshot<Row>)
    case diff(Epoch, ListDiff<Row>)
}

// MARK: - The lists

package typealias RoomsWatcher = ListWatcher<MyRoom>
package typealias MentionsWatcher = ListWatcher<MyMention>
package typealias PeopleWatcher = ListWatcher<Person>
package typealias DraftsWatcher = ListWatcher<Draft>
package typealias LaterWatcher = ListWatcher<LaterItem>
package typealias BlockedWatcher = ListWatcher<BlockedUser>

extension MyRoom: OwnRow {
    package static var list: ListName { .myRooms }
}

extension MyMention: OwnRow {
    package static var list: ListName { .myMentions }
}

extension Person: OwnRow {
    package static var list: ListName { .myPeople }
}

extension Draft: OwnRow {
    package static var list: ListName { .myDrafts }
}

extension LaterItem: OwnRow {
    package static var list: ListName { .myLater }
}

extension BlockedUser: OwnRow {
    package static var list: ListName { .myBlocked }
}

extension ListWatcher<LaterItem> {
    /// The ids of a section, in order.
    package func ids(in section: LaterItem.Section) -> [UniqueID] {
        list.rows.filter { $0.section == section }.map(\.id)
    }
}

extension ListWatcher<Draft> {
    /// The texts of the drafts by their rooms.
    package var texts: [String: String] {
        Dictionary(list.rows.map { ($0.id.description, $0.light.content.text) }) { first, _ in first }
    }
}

extension ListWatcher<MyRoom> {
    package var rooms: Replica<MyRoom> { list }
    package var names: [String] { list.rows.map(\.id.description) }

    package subscript(name: String) -> MyRoom? { RoomName(name).flatMap { list[$0] } }
}
