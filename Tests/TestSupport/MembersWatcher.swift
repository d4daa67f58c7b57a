package import ChatWire
package import Replicas

/// A connection that follows the members of a room.
package final class MembersWatcher {
    package let connection: Connection
    package private(set) var members: Replica<Member>
    /// The answer to the last subscribe.
    package let answer: ServerFrame
    package private(set) var diffs = 0

    private let list: ListName

    /// - Parameter held: the rows that the watcher comes back with.
    package init(
        _ connection: Connection, of room: RoomName = RoomName("lobby")!, holding held: Replica<Member>? = nil
    ) async throws {
        self.connection = connection
        list = .members(room)
        answer = try await connection.answer(to: .subscribe(list, limit: 50, resume: held?.resume()))
        switch (answer, held) {
        case (.snapshot(_, _, let snapshot as ServerFrame.Snapshot<Member>), _):
            members = try Replica(snapshot)
        case (.diff(_, _, let epoch, let diff as ListDiff<Member>), var held?):
            try held.apply(diff, epoch: epoch)
            members = held
        default:
            throw NoMembers(answer: answer)
        }
    }

    /// The answer was another frame.
    package struct NoMembers: Error {
        package let answer: ServerFrame
    }

    /// Applies the next change and returns it.
    @discardableResult
    package func next() async throws -> ListDiff<Member> {
        while true {
            guard case .diff(nil, list, let epoch, let diff as ListDiff<Member>) = try await connection.frame()
            else { continue }
            try members.apply(diff, epoch: epoch)
            diffs += 1
            return diff
        }
    }

    package func until(_ condition: (Replica<Member>) -> Bool) async throws {
        while !condition(members) { try await next() }
    }

    package var online: [String] { names(in: .online) }
    package var offline: [String] { names(in: .offline) }

    private func names(in section: Member.Section) -> [String] {
        members.rows.filter { $0.section == section }.map(\.id.description)
    }
}

extension Replica<Member> {
    package subscript(name: String) -> Member? { UserName(name).flatMap { self[$0] } }

    /// Returns whether exactly these people are online.
    package func isThere(_ names: String...) -> Bool {
        Set(rows.filter { $0.section == .online }.map(\.id.description)) == Set(names)
    }
}

extension Connection {
    /// Returns the next diff of any room's members, skipping everything else.
    package func memberDiff() async throws -> ListDiff<Member> {
        while true {
            if case .diff(nil, _, _, let diff as ListDiff<Member>) = try await frame() { return diff }
        }
    }
}
