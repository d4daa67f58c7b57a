import ChatWire
import CommandLineFlags
import TerminalUI
import Tokens

extension Moderation {
    static let manual = """
          /mute NAME SPAN   for 30s, 10m, 2h or 1d they send, edit and react to nothing; /unmute NAME
          /kick NAME        put them out; they may come back
          /ban NAME         put them out for good; /unban NAME
          /slow SPAN        the least time between two messages of one person; 0 ends it
          /readonly on|off  only moderators write
          /title TEXT       what the room is called; /untitle
          /topic TEXT       what it is about; /untopic
          /picture URL      an https URL of its picture; /unpicture
          /role NAME ROLE   appoint to read, write, moderate or own; none takes it back
        """

    /// Reads a moderator's line; `nil` for a command of another kind.
    ///
    /// - Throws: the remedy.
    init?(command: String, _ rest: String) throws(InputError) {
        let words = rest.split(separator: " ")
        switch command {
        case "mute":
            let usage = "/mute NAME SPAN, up to a year: /mute ann 10m"
            let span = try Self.span(words.last, 1...Self.longestMute, usage)
            self = .mute(try Self.user(words.dropLast(), usage), for: span)
        case "unmute": self = .unmute(try Self.user(words[...], "/unmute NAME"))
        case "kick": self = .kick(try Self.user(words[...], "/kick NAME"))
        case "ban": self = .ban(try Self.user(words[...], "/ban NAME"))
        case "unban": self = .unban(try Self.user(words[...], "/unban NAME"))
        case "slow":
            let usage = "/slow SPAN, up to 6 hours: /slow 5s; /slow 0 ends it"
            guard words.count == 1 else { throw InputError("usage: \(usage)") }
            self = .slowMode(try Self.span(words.first, 0...Self.slowestMode, usage))
        case "readonly":
            guard rest == "on" || rest == "off" else { throw InputError("usage: /readonly on, or /readonly off") }
            self = .readOnly(rest == "on" ? .on : .off)
        case "role":
            let usage = "/role NAME ROLE: /role ann moderate"
            guard let role = words.last.flatMap({ Role(String($0)) }) else {
                throw InputError("usage: \(usage); there are none, read, write, moderate and own")
            }
            self = .appoint(try Self.user(words.dropLast(), usage), role)
        default: try self.init(face: command, rest.trimmed)
        }
    }

    /// Reads a line about the title, topic or picture of the room; `nil` for a command of another kind.
    private init?(face command: String, _ text: String) throws(InputError) {
        switch command {
        case "title":
            guard let title = try RoomLine.title(text) else {
                throw InputError("usage: /title TEXT; /untitle takes it away")
            }
            self = .title(title)
        case "untitle": self = .title(nil)
        case "topic":
            guard let topic = RoomTopic(text) else {
                throw InputError("usage: /topic TEXT, of at most \(RoomTopic.limit) bytes; /untopic takes it away")
            }
            self = .topic(topic)
        case "untopic": self = .topic(nil)
        case "picture":
            guard let picture = Picture(text) else {
                throw InputError("usage: /picture URL, as https://chat.example/room.png; /unpicture takes it away")
            }
            self = .picture(picture)
        case "unpicture": self = .picture(nil)
        default: return nil
        }
    }

    /// Reads a name, which may contain spaces, and quotation marks around it.
    private static func user(_ words: ArraySlice<Substring>, _ usage: String) throws(InputError) -> UserName {
        guard let user = UserName(typed: words.joined(separator: " ").unquoted) else {
            throw InputError("usage: \(usage)")
        }
        return user
    }

    /// Reads a span: a number of seconds, or of the unit that its last letter names.
    private static func span(
        _ word: Substring?, _ range: ClosedRange<Milliseconds>, _ usage: String
    ) throws(InputError) -> Milliseconds {
        let units: [Character: Milliseconds] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        let unit = word?.last.flatMap { units[$0] }
        let number = unit == nil ? word : word?.dropLast()
        guard let count = number.flatMap({ UInt32($0) }) else { throw InputError("usage: \(usage)") }
        let span = Milliseconds(count) * (unit ?? 1_000)
        guard range.contains(span) else { throw InputError("usage: \(usage)") }
        return span
    }
}
