/// A room's title: what people call it.
///
/// - Shape: 1 to 200 bytes of UTF-8 without control characters. No title is `nil`.
public struct RoomTitle: BytewiseName {
    public let description: String

    /// The most bytes.
    public static let limit = 200

    /// `nil` unless `text` has the shape.
    public init?(_ text: String) {
        guard (1...Self.limit).contains(text.utf8.count), text.firstControlCharacter() == nil else { return nil }
        description = text
    }
}
