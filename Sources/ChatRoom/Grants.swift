package import ChatWire

/// What a user may do in each room.
///
/// The most specific pattern that matches a room decides, whether it says more or less than the others: a room's own
/// name, else the longest beginning. So `*` may write while `staff-*` may do nothing. A room that none matches grants
/// nothing.
package struct Grants: Equatable, Sendable {
    /// The most specific first.
    private let grants: [Grant]

    private struct Grant: Equatable, Sendable {
        let pattern: RoomPattern
        let role: Role
    }

    package init(_ roles: [RoomPattern: Role]) {
        grants = roles.map { Grant(pattern: $0, role: $1) }
            .sorted {
                ($1.pattern.specificity, $0.pattern.description) < ($0.pattern.specificity, $1.pattern.description)
            }
    }

    /// Everybody may write everywhere: what holds where nobody proves who they are.
    package static let open = Grants([RoomPattern("*")!: .write])

    /// - Complexity: O(patterns).
    package func role(in room: RoomName) -> Role {
        grants.first { $0.pattern.matches(room) }?.role ?? .none
    }
}
