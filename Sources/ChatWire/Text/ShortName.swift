/// The name of a reaction that is no emoji of Unicode. The operator gives the set of them.
///
/// - Shape: `:`, then 1 to 32 of `a-z 0-9 _ + -`, then `:`.
public struct ShortName: BytewiseName {
    public let description: String

    /// `nil` unless `text` has the shape.
    public init?(_ text: String) {
        let name = text.utf8.dropFirst().dropLast()
        guard (3...34).contains(text.utf8.count), text.utf8.first == Self.sign, text.utf8.last == Self.sign,
            name.allSatisfy({ byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "_+-".utf8.contains(byte)
            })
        else { return nil }
        description = text
    }

    static let shape = ": and 1 to 32 of a-z 0-9 _ + - and :"

    private static let sign = UInt8(ascii: ":")
}

extension ShortName: WireName {}

extension WireLimits {
    /// Returns whether a reaction may have a text as its emoji: one emoji of Unicode's, or a short name of the server's.
    package func accepts(emoji text: String) -> Bool {
        text.isEmoji || shortNames.contains { $0.description.hasBytes(of: text) }
    }
}
