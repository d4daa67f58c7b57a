/// Whom a message mentions: people by their names, and perhaps everybody in the room.
public struct Mentioned: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The word that mentions everybody when it follows an `@` in a text.
    public static let wordForEveryone = "room"

    /// In the order in which the author gave them, each once.
    public var people: [UserName]
    public var everyone: Bool

    public init(_ people: [UserName], everyone: Bool = false) {
        self.people = people
        self.everyone = everyone
    }

    public init(arrayLiteral people: UserName...) {
        self.init(people)
    }

    public var isEmpty: Bool { people.isEmpty && !everyone }

    public func includes(_ user: UserName) -> Bool { everyone || people.contains(user) }
}
