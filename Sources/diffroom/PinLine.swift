import ChatWire

/// A line about the pinned messages of a room.
enum PinLine: Equatable {
    case list
    case pin(InputLine.Which, Place)
    case unpin(InputLine.Which)

    enum Place: Equatable {
        case last
        case before(InputLine.Which)
        case after(InputLine.Which)
    }

    static let manual = """
          /pins             list the pinned messages of the room
          /pins add N       pin message N, or before M or after M: /pins add 12 before 7
          /pins remove N    unpin message N
        """

    private static let usage = "/pins, /pins add N, /pins add N before M, /pins add N after M, or /pins remove N"

    /// - Throws: the usage.
    init(_ rest: String) throws(InputError) {
        let words = rest.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case (nil, _): self = .list
        case ("add", 2): self = .pin(try Self.which(words[1]), .last)
        case ("add", 4) where words[2] == "before":
            self = .pin(try Self.which(words[1]), .before(try Self.which(words[3])))
        case ("add", 4) where words[2] == "after":
            self = .pin(try Self.which(words[1]), .after(try Self.which(words[3])))
        case ("remove", 2): self = .unpin(try Self.which(words[1]))
        default: throw InputError("usage: \(Self.usage)")
        }
    }

    private static func which(_ word: String) throws(InputError) -> InputLine.Which {
        try InputLine.which(word, usage)
    }
}
