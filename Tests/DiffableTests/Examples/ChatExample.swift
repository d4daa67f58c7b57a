import Diffable
import FoundationEssentials

// The chat that the model comes from, as an iOS developer wrote it, with typealiases for UIKit's names.

typealias NSDiffableDataSourceSnapshot = Snapshot

enum ChatSection: Hashable, Sendable {
    case history
    case socket
}

/// A message's identity is its UUID; an edit changes its text only.
struct ChatMessage: Hashable, Sendable {
    let id: UUID
    var text: String

    init(id: UUID = UUID(), _ text: String) {
        self.id = id
        self.text = text
    }

    static func == (lhs: ChatMessage, rhs: ChatMessage) -> Bool { lhs.id == rhs.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A stand-in for Combine's `PassthroughSubject<Void, Never>`: each listener hears of each change.
final class ChangeSubject {
    private var listeners: [Int: () -> Void] = [:]
    private var nextNumber = 0

    func sink(_ receive: @escaping () -> Void) -> ChangeSubscription {
        let number = nextNumber
        nextNumber += 1
        listeners[number] = receive
        return ChangeSubscription { [weak self] in self?.listeners[number] = nil }
    }

    func send() {
        for listener in listeners.values { listener() }
    }
}

/// Listens until it is released.
final class ChangeSubscription {
    private let cancel: () -> Void

    init(cancel: @escaping () -> Void) {
        self.cancel = cancel
    }

    deinit {
        cancel()
    }
}

/// Holds the messages and says when they change.
final class ChatDataController {
    let didChange = ChangeSubject()
    private(set) var history: [ChatMessage] = []
    private(set) var socket: [ChatMessage] = []
    private(set) var edited: Set<ChatMessage> = []

    func loadOlder(_ messages: [ChatMessage]) {
        history = messages + history
        didChange.send()
    }

    func receive(_ message: ChatMessage) {
        socket.append(message)
        didChange.send()
    }

    func edit(_ message: ChatMessage) {
        for place in socket.indices where socket[place] == message { socket[place] = message }
        edited = [message]
        didChange.send()
        edited = []
    }

    func delete(_ message: ChatMessage) {
        history.removeAll { $0 == message }
        socket.removeAll { $0 == message }
        didChange.send()
    }
}

final class ChatViewController {
    typealias Table = RecordingTable<ChatSection, ChatMessage>

    let tableView = Table()
    private(set) var lastVisibleRow: ItemPath?
    private let dataController: ChatDataController
    private let dataSource: DiffableDataSource<Table, ChatSection, ChatMessage>
    private var subscription: ChangeSubscription?

    init(dataController: ChatDataController) {
        self.dataController = dataController
        dataSource = DiffableDataSource(view: tableView) { _, _, message, _ in message.text }
        tableView.attach(dataSource)
    }

    func viewDidLoad() {
        subscription = dataController.didChange.sink { [weak self] in self?.updateUI() }
        updateUI()
    }

    private func updateUI() {
        var snapshot = NSDiffableDataSourceSnapshot<ChatSection, ChatMessage>()
        snapshot.appendSections([.history, .socket])
        snapshot.appendItems(dataController.history, toSection: .history)
        snapshot.appendItems(dataController.socket, toSection: .socket)
        snapshot.reconfigureItems(Array(dataController.edited))
        dataSource.apply(snapshot, animatingDifferences: true) { [weak self] in self?.scrollToLastRow() }
    }

    private func scrollToLastRow() {
        lastVisibleRow = dataSource.snapshot().itemIdentifiers.last.flatMap { dataSource.indexPath(for: $0) }
    }
}
