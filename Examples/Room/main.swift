// A chat room: what was said before, and what comes over the socket. Every frame makes a whole snapshot of what is true now.

import Diffable
import ExampleTerminal

enum RoomSection: String, Hashable, Sendable {
    case history
    case socket
}

/// A message is its number, whatever it says: an edit is no other message.
struct Message: Hashable, Sendable {
    var number: Int
    var author: String
    var text: String

    static func == (a: Message, b: Message) -> Bool { a.number == b.number }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// What a server says.
enum Frame {
    case page([Message])
    case said(Message)
    case edited(Message)
    case deleted(number: Int)
    case typing(String?)
}

struct Room {
    var history: [Message] = []
    var socket: [Message] = []
    var typing: String?

    mutating func take(_ frame: Frame) {
        switch frame {
        case .page(let messages): history = messages + history
        case .said(let message): socket.append(message)
        case .edited(let message): socket = socket.map { $0 == message ? message : $0 }
        case .deleted(let number): socket.removeAll { $0.number == number }
        case .typing(let author): typing = author
        }
    }
}

var room = Room()
typealias Table = TerminalTable<RoomSection, Message>
let table = Table()
let source = DiffableDataSource<Table, RoomSection, Message>(view: table) { _, _, message, _ in
    "\(message.author): \(message.text)"
}
source.isContentEqual = { $0.text == $1.text }
source.sectionHeaderProvider = { _, _, section in section.rawValue.uppercased() }
source.supplementaryProvider = { _, kind, path in
    kind == .footer && path.section == 1 ? room.typing.map { "\($0) is typing …" } : nil
}
table.source = source

/// What a server says twice is refused as a whole, and what is shown stays.
@MainActor
func show(_ title: String, _ frame: Frame) {
    print(title)
    var next = room
    next.take(frame)
    do {
        var snapshot = try Snapshot(sections: [(RoomSection.history, next.history), (.socket, next.socket)])
        if next.typing != room.typing { snapshot.reloadSections([.socket]) }
        room = next
        source.apply(snapshot)
    } catch {
        print("  refused: \(error)\n")
    }
}

show(
    "An older page",
    .page([Message(number: 1, author: "ann", text: "hello"), Message(number: 2, author: "bob", text: "hi")]))
show("Somebody types", .typing("ann"))
show("She says it", .said(Message(number: 3, author: "ann", text: "how are yuo?")))
show("And nothing more", .typing(nil))
show("An edit", .edited(Message(number: 3, author: "ann", text: "how are you?")))
show("An answer", .said(Message(number: 4, author: "bob", text: "fine")))
show("The same frame once more", .said(Message(number: 4, author: "bob", text: "fine")))
show("It is deleted", .deleted(number: 4))
