package import ChatWire

/// A user's role in each room.
///
/// The most specific matching pattern decides, whether it grants more or less than the others: the room's own name,
/// else the longest prefix. So `*` may grant `write` while `staff-*` grants nothing. A room without a matching pattern
/// has no grant.
package struct Grants: Hashable, Sendable {
    /// The most specific first.
    private let grants: [Grant]

    private struct Grant: Hashable, Sendable {
        let pattern: RoomPattern
        let role: Role
    }

    package init(_ roles: [RoomPattern: Role]) {
        grants = roles.map { Grant(pattern: $0, role: $1) }
            .sorted {
                ($1.pattern.specificity, $0.pattern.description) < ($0.pattern.specificity, $1.pattern.description)
            }
    }

    /// The right to write everywhere, for everybody, on a server without keys.
    package static let open = Grants([RoomPattern("*")!: .write])

    /// - Complexity: O(patterns).
    package func role(in room: RoomName) -> Role {
        grants.first { $0.pattern.matches(room) }?.role ?? .none
    }
}
