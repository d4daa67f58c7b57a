import ChatWire
import TerminalUI

/// The meaning of a line of input.
enum InputLine: Equatable {
    case nothing
    case send(String)
    case reply(Which, String)
    case edit(Which, String)
    case delete(Which)
    case react(Which, emoji: String, ClientFrame.Switch)
    case older(Int)
    case moderate(Moderation)
    case audit
    /// Makes another followed room the one that lines go to.
    case to(RoomName)
    /// Lists the people of the room, or those whose names have these words.
    case who(String?)
    /// Becomes a member of a room, or no longer; `nil` is the room shown.
    case join(RoomName?)
    case leave(RoomName?)
    case rooms
    /// Lists the threads that the user follows.
    case threads
    case mentions
    case search(SearchRequest)
    /// Those before the ones that were shown.
    case olderMentions
    case pins(PinLine)
    case later(LaterLine)
    case block(BlockLine)
    case about(RoomLine)
    case set(SettingLine)
    case upload(FileLine)
    /// Links to the files of a message; `nil` is the last one that has files.
    case links(Which?)
    case help
    case quit

    /// A reference to a message.
    enum Which: Equatable {
        /// The user's own last message.
        case last
        /// The message with a number, or with the beginning of an id.
        case named(String)
    }

    /// Reports that an entered text had escape sequences or control characters.
    static let reduced = "left out control characters, which no message can have"

    /// True when the line cannot be understood before the user's rooms are known.
    var needsRooms: Bool {
        switch self {
        case .about(.accept), .about(.decline), .set(.pin), .set(.readAll): true
        default: false
        }
    }

    static let manual = """
        A line is sent as a message. These are not:
          /reply N TEXT     answer message N, as + and ~ show its number; the beginning of its id will do, too
          /edit N TEXT      replace the text of your message N
          /delete N         delete your message N; as a moderator, any message
          /react N EMOJI    react to message N
          /unreact N EMOJI  take the reaction back
          /older [COUNT]    show that many older messages, 32 to 500
          /who [NAME]       list the people of the room, or those of that name
          /to ROOM          send the lines that follow to another of the rooms that --room names
          /join [ROOM]      become a member of this room, or another one
          /leave [ROOM]     end the membership
          /mentions         list the messages that mention you, the newest last
          /mentions older   list the ones before those
          /search WORDS     find messages in all your rooms: words, "phrases", beginnings*,
                            from:NAME in:ROOM before:2026-11-28 after:2026-11-01 has:link
          /rooms            list your rooms and invitations, and what is unread
          /threads          list the threads that you follow, and what is unread
          /follow /unfollow the thread of --room ROOM/thread/ID, from now on or no longer
        \(FileLine.manual)
        \(PinLine.manual)
        \(LaterLine.manual)
        \(BlockLine.manual)
        \(RoomLine.manual)
        \(SettingLine.manual)
          /help             this text
          /quit             wait until all is acknowledged, and end
        Moderators have, too:
        \(Moderation.manual)
          /audit            the log of moderations here
        Instead of N, 'last' is your own last message. A message that begins with / is written with //.
        """

    /// - Throws: ``InputError`` with the remedy.
    init(_ line: String) throws(InputError) {
        let text = line.last?.isNewline == true ? String(line.dropLast()) : line  // as from Windows
        guard !text.allSatisfy(\.isWhitespace) else {
            self = .nothing
            return
        }
        guard text.hasPrefix("/"), !text.hasPrefix("//") else {
            self = .send(text.hasPrefix("//") ? String(text.dropFirst()) : text)
            return
        }
        let words = text.dropFirst().split(separator: " ", maxSplits: 1)
        try self.init(command: words.first.map(String.init) ?? "", words.count > 1 ? String(words[1]) : "")
    }

    private init(command: String, _ rest: String) throws(InputError) {
        switch command {
        case "reply": self = try Self.withText(rest, "/reply N TEXT") { .reply($0, $1) }
        case "edit": self = try Self.withText(rest, "/edit N TEXT") { .edit($0, $1) }
        case "delete": self = .delete(try Self.which(rest, "/delete N"))
        case "react": self = try Self.withText(rest, "/react N EMOJI") { .react($0, emoji: $1, .on) }
        case "unreact": self = try Self.withText(rest, "/unreact N EMOJI") { .react($0, emoji: $1, .off) }
        case "older":
            let counts = ListDigest.window...WireLimits().rows
            guard let count = rest.isEmpty ? 50 : Int(rest), counts.contains(count) else {
                throw InputError("/older [COUNT]: the count is \(counts.lowerBound) to \(counts.upperBound)")
            }
            self = .older(count)
        case "who": self = .who(rest.isBlank ? nil : rest)
        case "to":
            guard let room = try Self.room(rest, usage: "/to ROOM") else { throw InputError("usage: /to ROOM") }
            self = .to(room)
        case "join", "follow": self = .join(try Self.room(rest, usage: "/join [ROOM]"))
        case "leave", "unfollow": self = .leave(try Self.room(rest, usage: "/leave [ROOM]"))
        case "rooms": self = .rooms
        case "threads": self = .threads
        case "mentions": self = rest == "older" ? .olderMentions : .mentions
        case "search": self = .search(try Self.search(rest))
        case "pins": self = .pins(try PinLine(rest))
        case "upload": self = .upload(try FileLine(rest))
        case "links": self = .links(rest.isBlank ? nil : try Self.which(rest, "/links [N]"))
        case "audit": self = .audit
        case "help": self = .help
        case "quit": self = .quit
        default: self = try Self.other(command, rest)
        }
    }

    /// Reads a line about a room or its people.
    private static func other(_ command: String, _ rest: String) throws(InputError) -> InputLine {
        if let line = try RoomLine(command: command, rest) { return .about(line) }
        if let line = try SettingLine(command: command, rest) { return .set(line) }
        if let line = try LaterLine(command: command, rest) { return .later(line) }
        if let line = try BlockLine(command: command, rest) { return .block(line) }
        if let moderation = try Moderation(command: command, rest) { return .moderate(moderation) }
        throw InputError("there is no /\(command.neutralized); /help shows what there is, // sends a /")
    }

    private static func search(_ rest: String) throws(InputError) -> SearchRequest {
        guard !rest.isBlank else { throw InputError("usage: /search WORDS") }
        do throws(WireError) {
            return try SearchRequest(rest)
        } catch {
            throw InputError("/search: \(error.message)")
        }
    }

    private static func withText(
        _ rest: String, _ usage: String, _ make: (Which, String) -> InputLine
    ) throws(InputError) -> InputLine {
        let words = rest.split(separator: " ", maxSplits: 1)
        guard words.count == 2, case let text = words[1].drop(while: { $0 == " " }), !text.isEmpty else {
            throw InputError("usage: \(usage)")
        }
        return make(try which(String(words[0]), usage), String(text))
    }

    /// Reads the name of a room; `nil` if there is none.
    static func room(_ rest: String, usage: String) throws(InputError) -> RoomName? {
        let word = rest.split(separator: " ").joined(separator: " ")
        guard !word.isEmpty else { return nil }
        guard let room = RoomName(word.hasPrefix("#") ? String(word.dropFirst()) : word) else {
            throw InputError("usage: \(usage); a room's name has 1 to 64 letters, digits, '.', '_' or '-'")
        }
        return room
    }

    static func which(_ word: String, _ usage: String) throws(InputError) -> Which {
        let word = word.split(separator: " ").joined()
        guard !word.isEmpty else { throw InputError("usage: \(usage)") }
        let name = word.hasPrefix("#") ? String(word.dropFirst()) : word
        return name == "last" ? .last : .named(name)
    }
}

/// The fault of a line of input, and its remedy.
struct InputError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension String {
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
