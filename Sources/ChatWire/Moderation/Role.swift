/// A person's role in a room. Each role includes the rights of those before it.
///
/// The store keeps the raw values.
public enum Role: Int, Comparable, Sendable, CaseIterable {
    /// May not even learn that the room exists.
    case none
    /// Reads messages and sees who is there.
    case read
    /// Sends, edits, deletes and reacts.
    case write
    case moderate
    case own

    public static func < (left: Role, right: Role) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension Role {
    /// Returns whether a user with this role may mention everybody in such a room. Private and direct rooms are for
    /// people who were invited, so all who write may do so there.
    public func mayCallEveryone(in kind: RoomName.Kind) -> Bool {
        self >= (kind == .open ? .moderate : .write)
    }
}

extension Role: LosslessStringConvertible {
    /// The role's name on the wire and in tokens.
    public var description: String {
        switch self {
        case .none: "none"
        case .read: "read"
        case .write: "write"
        case .moderate: "moderate"
        case .own: "own"
        }
    }

    public init?(_ description: String) {
        guard let role = Role.allCases.first(where: { $0.description == description }) else { return nil }
        self = role
    }
}
