import ChatClient
import ChatWire
import TerminalUI

/// The thing that a click on the screen chooses, as the target of a text.
enum ClickTarget: Hashable {
    case room(RoomName)
    case message(MessageID)
    /// The thread of a message.
    case thread(MessageID)
    case mention(MyMention.ID)
    /// An item of the messages and reminders for later.
    case later(UniqueID)
    case reaction(MessageID, emoji: String)
    case file(FilePlace)
    /// A web address.
    case link(String)

    /// - Parameter target: the target of a ``TerminalUI/Line``; `nil` for none.
    init?(_ target: String?) {
        let parts = target?.split(separator: " ").map(String.init) ?? []
        switch (parts.first, parts.count) {
        case ("room", 2): self.init(room: RoomName(parts[1]))
        case ("message", 2): self.init(message: MessageID(parts[1]))
        case ("later", 2): self.init(later: UniqueID(parts[1]))
        case ("thread", 2): self.init(thread: MessageID(parts[1]))
        case ("reaction", 3): self.init(reaction: MessageID(parts[1]), parts[2])
        case ("file", 3): self.init(file: MessageID(parts[1]), FileID(parts[2]))
        case ("mention", 3): self.init(mention: RoomName(parts[1]), MessageID(parts[2]))
        case (let link?, 1): self = .link(link)
        default: return nil
        }
    }

    private init?(room: RoomName?) {
        guard let room else { return nil }
        self = .room(room)
    }

    private init?(message: MessageID?) {
        guard let message else { return nil }
        self = .message(message)
    }

    private init?(later item: UniqueID?) {
        guard let item else { return nil }
        self = .later(item)
    }

    private init?(thread root: MessageID?) {
        guard let root else { return nil }
        self = .thread(root)
    }

    private init?(reaction message: MessageID?, _ emoji: String) {
        guard let message else { return nil }
        self = .reaction(message, emoji: emoji)
    }

    private init?(file message: MessageID?, _ file: FileID?) {
        guard let message, let file else { return nil }
        self = .file(FilePlace(message: message, file: file))
    }

    private init?(mention room: RoomName?, _ message: MessageID?) {
        guard let room, let message else { return nil }
        self = .mention(MyMention.ID(room: room, message: message))
    }

    /// The target of a text. Names, ids and emojis have no blanks.
    var text: String {
        switch self {
        case .room(let room): "room \(room)"
        case .message(let id): "message \(id)"
        case .later(let id): "later \(id)"
        case .thread(let root): "thread \(root)"
        case .mention(let id): "mention \(id.room) \(id.message)"
        case .file(let place): "file \(place.message) \(place.file)"
        case .reaction(let id, let emoji): "reaction \(id) \(emoji)"
        case .link(let address): address
        }
    }
}
