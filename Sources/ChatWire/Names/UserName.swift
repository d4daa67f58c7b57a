/// A person's name, as the server knows it.
///
/// There are two ways to one. What somebody *enters* (in `hello`, as a token's `sub`, in a command about somebody, in a
/// command line) is looked at character by character, by the Unicode that this program was built with:
/// ``init(_:)`` and ``fault(in:)``. What is *known* already, to a store or to a server that tells it, was looked at
/// when it was entered, perhaps by an earlier version with other rules: ``init(known:)``.
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
    /// Nothing here depends on a version of Unicode: who could be read once can be read for good.
    public init?(known text: String) {
        guard Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        description = text
    }

    static let lengths = 1...64
}
