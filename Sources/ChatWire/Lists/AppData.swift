package import JSON

/// A JSON object of an application, which the server keeps and passes on byte for byte.
///
/// ```swift
/// let poll = AppData(#"{"kind":"poll","choices":["tea","coffee"]}"#)!
/// client.send(MessageContent("tea or coffee?", data: poll), to: room)
/// ```
///
/// - Shape: at most ``depth`` objects and arrays inside each other, no key twice in one object. An empty object stands for no
///   data.
public struct AppData: Hashable, Sendable, LosslessStringConvertible {
    /// The limit of its nesting: a frame with the row that has it stays within what every client reads.
    public static let depth = 16

    public let bytes: [UInt8]

    public static let empty = AppData(unchecked: Array("{}".utf8))

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// Returns `nil` for what is no JSON object, and for one that is not of this shape.
    ///
    /// - Complexity: O(bytes).
    public init?(_ json: String) {
        guard let tape = try? JSONTape(Array(json.utf8)), tape.fault == nil else { return nil }
        self.init(tape.root)
    }

    package init?(_ value: JSONValue) {
        guard value.kind == .object, value.isNested(within: Self.depth) else { return nil }
        self.init(unchecked: value.hasNoMembers ? Self.empty.bytes : Array(value.sourceBytes))
    }

    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The application's name for the type of the data: the member `kind`, if it is a string.
    ///
    /// - Complexity: O(bytes).
    public var kind: String? { (try? JSONTape(bytes))?.root["kind"]?.string }

    public var isEmpty: Bool { self == .empty }
}
