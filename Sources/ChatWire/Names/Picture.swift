/// The place of a picture of a room or a person: an https URL.
///
/// - Shape: 9 to 1,000 visible ASCII characters, but none of `"<>\^`{|}`, that begin with `https://` and the name of a host
///   without a user before it. No picture is `nil`.
public struct Picture: BytewiseName {
    public let description: String

    /// The most bytes.
    public static let limit = 1_000

    static let shape = "an https URL, as https://chat.example/room.png"

    private static let scheme = "https://"

    /// `nil` unless `text` has the shape.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count <= Self.limit, bytes.starts(with: Self.scheme.utf8), bytes.allSatisfy(Self.isOfURLs)
        else { return nil }
        let host = bytes.dropFirst(Self.scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
        guard let first = host.first, first != UInt8(ascii: ":"), !host.contains(UInt8(ascii: "@")) else { return nil }
        description = text
    }

    private static func isOfURLs(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !#""<>\^`{|}"#.utf8.contains(byte)
    }
}
