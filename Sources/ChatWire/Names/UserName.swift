/// A person's name, as the server knows it.
///
/// There are two ways to make a name. ``init(_:)`` is for a name that a person enters: in `hello`, as a token's `sub`,
/// in a command or on a command line. It checks every character, as ``fault(in:)`` does, by the Unicode version that
/// this program was built with. ``init(known:)`` is for a name from a store or a server. Such a name was checked when
/// it was entered, perhaps by an earlier version with other rules.
///
/// - Shape: 1 to 64 bytes of UTF-8 without ASCII control characters.
public struct UserName: BytewiseName {
    public let description: String

    /// `nil` where ``fault(in:)`` finds something.
    public init?(_ text: String) {
        guard Self.fault(in: text) == nil else { return nil }
        description = text
    }

    /// `nil` unless `text` has the shape.
    ///
    /// The check does not depend on a version of Unicode: a name that could be read once can always be read.
    public init?(known text: String) {
        guard Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        description = text
    }

    static let lengths = 1...64

    /// The author of a damaged message, where the server does not know it: an empty name, which no user has.
    public static let unknown = UserName()

    /// The author of the server's own operations, which no list shows.
    package static let server = UserName(known: "diffroomd") ?? .unknown

    private init() { description = "" }
}
