import ChatWire
import Tokens

/// A line that makes a room, or is about a private or direct one: the same on the screen and without one.
enum RoomLine: Equatable {
    /// Makes a private room.
    case create(title: RoomTitle?)
    /// Makes an open room, or enters it if it is there already.
    case createOpen(RoomName, title: RoomTitle?)
    case invite(UserName)
    case uninvite(UserName)
    /// Goes to the direct room with some people. The text names them, and may go on with a message: ``Addressee``.
    case message(String)
    /// Accepts an invitation, or declines it: to the room shown, if the text is empty.
    case accept(String)
    case decline(String)

    static let manual = """
          /create [TITLE]   make a private room; /create #NAME [TITLE] an open one, or enter it
          /invite NAME      invite to this private room; /uninvite NAME
          /accept [ROOM]    become a member of a room that you are invited to; /decline [ROOM]
          /msg NAME [TEXT]  write to a person in the room for you two; /msg ann,bob TEXT to more
        """

    /// Reads a line; `nil` for a command of another kind.
    ///
    /// - Throws: the remedy.
    init?(command: String, _ rest: String) throws(InputError) {
        let text = rest.trimmed
        switch command {
        case "create" where text.hasPrefix("#"): self = try Self.open(text)
        case "create": self = .create(title: try Self.title(text))
        case "invite": self = .invite(try Self.user(text, "/invite NAME"))
        case "uninvite": self = .uninvite(try Self.user(text, "/uninvite NAME"))
        case "msg":
            guard !text.isEmpty else { throw InputError("usage: /msg NAME, or /msg NAME TEXT") }
            self = .message(text)
        case "accept": self = .accept(text)
        case "decline": self = .decline(text)
        default: return nil
        }
    }

    /// Reads the name of an open room, behind a `#`, and the title that may follow.
    private static func open(_ text: String) throws(InputError) -> RoomLine {
        let (words, usage) = (text.split(separator: " ", maxSplits: 1).map(String.init), "/create #NAME [TITLE]")
        guard let room = try InputLine.room(words[0], usage: usage), room.kind == .open else {
            throw InputError("usage: \(usage)")
        }
        return .createOpen(room, title: try title(words.dropFirst().joined().trimmed))
    }

    /// Reads a room's title; `nil` if there is none.
    static func title(_ text: String) throws(InputError) -> RoomTitle? {
        guard let title = RoomTitle(text) else {
            if text.isEmpty { return nil }
            throw InputError("a title is one line of at most \(RoomTitle.limit) bytes")
        }
        return title
    }

    /// Reads a name, with an `@` before it or without.
    static func user(_ text: String, _ usage: String) throws(InputError) -> UserName {
        let name = text.hasPrefix("@") ? text.dropFirst() : text[...]
        guard let user = UserName(typed: String(name).unquoted) else { throw InputError("usage: \(usage)") }
        return user
    }
}

extension String {
    /// The text without quotation marks around it.
    var unquoted: String {
        count > 1 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : self
    }

    /// The text without blanks around it.
    var trimmed: String {
        let start = drop(while: \.isWhitespace)
        let end = start.lastIndex { !$0.isWhitespace }.map(start.index(after:))
        return String(start[..<(end ?? start.startIndex)])
    }
}
