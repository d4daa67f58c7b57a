/// A room's title: what people call it.
///
/// As with names, ``init(_:)`` is for a title that a person enters, and ``init(known:)`` for one from a store or a server,
/// which was checked when it was entered, perhaps by an earlier version with other rules.
///
/// - Shape: 1 to 200 bytes of UTF-8 without control characters. No title is `nil`.
public struct RoomTitle: RoomText {
    public let description: String

    /// The most bytes.
    public static let limit = 200

    /// `nil` where ``fault(in:)`` finds something.
    public init?(_ text: String) {
        guard Self.fault(in: text) == nil else { return nil }
        description = text
    }

    /// `nil` unless `text` has the shape.
    public init?(known text: String) {
        guard text.isOneLine(of: 1...Self.limit) else { return nil }
        description = text
    }

    /// Returns the reason for which a text cannot be entered, in words that follow the text; `nil` if it can.
    public static func fault(in text: String) -> String? { text.faultInOneLine(of: 1...limit) }
}

/// A room's topic: what people talk about there. It is checked as a ``RoomTitle`` is.
///
/// - Shape: 1 to 1,000 bytes of UTF-8 without control characters. No topic is `nil`.
public struct RoomTopic: RoomText {
    public let description: String

    /// The most bytes.
    public static let limit = 1_000

    /// `nil` where ``fault(in:)`` finds something.
    public init?(_ text: String) {
        guard Self.fault(in: text) == nil else { return nil }
        description = text
    }

    /// `nil` unless `text` has the shape.
    public init?(known text: String) {
        guard text.isOneLine(of: 1...Self.limit) else { return nil }
        description = text
    }

    /// Returns the reason for which a text cannot be entered, in words that follow the text; `nil` if it can.
    public static func fault(in text: String) -> String? { text.faultInOneLine(of: 1...limit) }
}

/// A text about a room that stands in one line.
protocol RoomText: BytewiseName {
    static var limit: Int { get }

    init?(known text: String)

    static func fault(in text: String) -> String?
}

extension String {
    fileprivate func isOneLine(of lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(utf8.count) && firstControlCharacter() == nil
    }

    /// Returns the fault of a text about a room.
    ///
    /// A text with a fault looks empty or like another one: it has an invisible character, or one that turns the direction
    /// of what stands around it. Unlike in names, all spaces are allowed, and U+FE0F behind any emoji, where keyboards put it.
    fileprivate func faultInOneLine(of lengths: ClosedRange<Int>) -> String? {
        guard lengths.contains(utf8.count) else { return "has \(utf8.count) bytes, must be 1 to \(lengths.upperBound)" }
        if let control = firstControlCharacter() { return "has control character \(control), must have none" }
        let scalars = Array(unicodeScalars)
        guard scalars.first?.isMark == false else { return "begins with a mark that belongs to a character before it" }
        for place in scalars.indices where !scalars[place].isPlain && !scalars.repeatsLook(at: place) {
            if let fault = scalars.fault(at: place) { return fault }
        }
        return hasSomethingToSee ? nil : "has no visible character"
    }
}
