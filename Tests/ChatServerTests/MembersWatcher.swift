import ChatWire
import TestSupport

let lobbyMembers = ListName.members(room)

/// A connection that follows who is in the lobby.
final class MembersWatcher {
    let connection: Connection
    private(set) var members: Replica<Member>
    /// What the last subscribe was answered with.
    let answer: ServerFrame
    private(set) var diffs = 0

    /// - Parameter held: what the watcher comes back with.
    init(_ connection: Connection, holding held: Replica<Member>? = nil) async throws {
        self.connection = connection
        answer = try await connection.answer(to: .subscribe(lobbyMembers, limit: 50, resume: held?.resume))
        switch (answer, held) {
        case (.memberSnapshot(_, _, let snapshot), _):
            members = try Replica(snapshot)
        case (.memberDiff(_, _, let epoch, let diff), var held?):
            try held.apply(diff, epoch: epoch)
            members = held
        default:
            throw Unexpected()
        }
    }

    /// The next change, applied.
    @discardableResult
    func next() async throws -> ListDiff<Member> {
        while true {
            guard case .memberDiff(nil, lobbyMembers, let epoch, let diff) = try await connection.frame()
            else { continue }
            try members.apply(diff, epoch: epoch)
            diffs += 1
            return diff
        }
    }

    func until(_ condition: (Replica<Member>) -> Bool) async throws {
        while !condition(members) { try await next() }
    }

    var online: [String] { names(in: .online) }
    var offline: [String] { names(in: .offline) }

    private func names(in section: Member.Section) -> [String] {
        members.rows.filter { $0.section == section }.map(\.id.description)
    }
}

extension Replica<Member> {
    subscript(name: String) -> Member? { UserName(name).flatMap { self[$0] } }
}

extension Connection {
    /// The next diff of any room's members, passing over everything else.
    func memberDiff() async throws -> ListDiff<Member> {
        while true {
            if case .memberDiff(nil, _, _, let diff) = try await frame() { return diff }
        }
    }
}
