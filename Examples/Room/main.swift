// A chat room: earlier messages, and those that arrive over the socket. Every frame makes a whole snapshot of the
// current state.

import Diffable
import ExampleTerminal

enum RoomSection: String, Hashable, Sendable {
    case history
    case socket
}

/// A message's identity is its number, whatever its text: an edit keeps it.
struct Message: Hashable, Sendable {
    var number: Int
    var author: String
    var text: String

    static func == (a: Message, b: Message) -> Bool { a.number == b.number }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// A frame of the server.
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

/// Applies a frame and shows the list. A frame that repeats a message is refused as a whole, and the screen stays.
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
