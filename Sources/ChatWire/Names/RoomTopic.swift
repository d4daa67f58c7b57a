/// A room's topic: what people talk about there.
///
/// - Shape: 1 to 1,000 bytes of UTF-8 without control characters. No topic is `nil`.
public struct RoomTopic: BytewiseName {
    public let description: String

    /// The most bytes.
    public static let limit = 1_000

    /// `nil` unless `text` has the shape.
    public init?(_ text: String) {
        guard (1...Self.limit).contains(text.utf8.count), text.firstControlCharacter() == nil else { return nil }
        description = text
    }
}
