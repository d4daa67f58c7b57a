/// What somebody may do in a room. Each may do what those before it may.
///
/// The numbers are what the store keeps.
public enum Role: Int, Comparable, Sendable, CaseIterable {
    /// Not even hear of the room.
    case none
    /// Read messages, and who is there.
    case read
    /// Send, edit, delete and react.
    case write
    case moderate
    case own

    public static func < (left: Role, right: Role) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension Role: LosslessStringConvertible {
    /// As the wire and tokens have it.
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
