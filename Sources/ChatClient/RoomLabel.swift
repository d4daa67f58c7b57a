public import ChatWire

/// A room's name for people: its title, the people of a direct room, or its name. Nothing else decides it.
///
/// ```swift
/// let label = RoomLabel(plans, title: RoomTitle("Plans"))
/// print(label.heading)  // above the room
/// print("\(label.phrase) has a new message")  // in a sentence
/// ```
///
/// - Shape: titles and names are other people's text. A terminal shows them neutralized.
public struct RoomLabel: Hashable, Sendable, CustomStringConvertible {
    public let room: RoomName
    /// `nil` if the room has none, or one in which there is nothing to see.
    public let title: RoomTitle?
    /// The other people of a direct room, as far as they are known.
    public let people: [UserName]
    /// Their labels.
    private let names: String
    /// The label of the thread's room; `nil` for a room.
    private let parent: Parent?

    private struct Parent: Hashable {
        let description, phrase: String
    }

    public init(
        _ room: RoomName, title: RoomTitle? = nil, people: [UserName] = [], called labels: PeopleLabels = PeopleLabels()
    ) {
        self.room = room
        self.title = title.flatMap { $0.description.unicodeScalars.contains(where: \.isVisible) ? $0 : nil }
        self.people = people
        names = people.map { labels[$0] }.joined(separator: ", ")
        parent = nil
    }

    init(_ thread: RoomName, threadOf parent: RoomLabel) {
        (room, title, people, names) = (thread, parent.title, parent.people, parent.names)
        self.parent = Parent(description: parent.description, phrase: parent.phrase)
    }

    /// The label in a list. An open room's name stands behind its title, so that no room passes for another by its title.
    public var description: String {
        if let parent { return "thread in \(parent.description)" }
        return switch (room.kind, title) {
        case (.open, let title?): "\(title) (\(room))"
        case (.open, nil): "\(room)"
        case (.private, let title?), (.direct, let title?): title.description
        case (.private, nil): "private room \(digits)"
        case (.direct, nil): people.isEmpty ? "direct room \(digits)" : names
        }
    }

    /// The label where it stands alone, above the room or below it: `#lobby`, `Plans (private)`, `bob`.
    public var heading: String {
        if parent != nil { return description }
        return switch (room.kind, title) {
        case (.open, let title?): "\(title) #\(room)"
        case (.open, nil): "#\(room)"
        case (.private, let title?): "\(title) (private)"
        case (.private, nil), (.direct, _): description
        }
    }

    /// The label in a sentence: `room lobby`, `room Plans`, `the direct room with bob`.
    public var phrase: String {
        if let parent { return "the thread in \(parent.phrase)" }
        return switch (room.kind, title) {
        case (.open, _), (_, _?): "room \(description)"
        case (.private, nil): description
        case (.direct, nil): people.isEmpty ? description : "the direct room with \(names)"
        }
    }

    /// Puts the label in the place of a name that says nothing, in a text of the server's.
    public func renamed(in text: String) -> String {
        guard room.kind != .open else { return text }
        return text.replacing("room \(room)", with: phrase).replacing(room.description, with: description)
    }

    static func list(_ people: [UserName]) -> String { people.map(\.description).joined(separator: ", ") }

    /// The first digits of a name that is nothing but digits.
    private var digits: Substring { room.description.dropFirst().prefix(8) }
}

extension MyRoom {
    public var label: RoomLabel { label(PeopleLabels()) }

    /// - Parameter labels: what the people of a direct room are called.
    public func label(_ labels: PeopleLabels) -> RoomLabel {
        RoomLabel(id, title: light.title, people: people, called: labels)
    }
}

extension Unicode.Scalar {
    fileprivate var isVisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .unassigned: false
        default: !properties.isDefaultIgnorableCodePoint
        }
    }
}
