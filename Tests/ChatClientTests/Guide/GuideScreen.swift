import ChatClient

@MainActor
final class RoomScreen: @MainActor DiffableView {
    typealias Cell = String
    typealias Header = String

    private var lines: [[String]] = [] { didSet { draw(lines) } }
    private var room: RoomView?
    private let draw: ([[String]]) -> Void
    private lazy var source = DiffableDataSource<RoomScreen, Message.Section, RoomItem>(view: self) {
        screen, _, item, _ in screen.line(of: item)
    }

    init(draw: @escaping ([[String]]) -> Void) {
        self.draw = draw
    }

    func follow(_ lobby: ClientRoom) async {
        for await change in lobby.changes {
            room = change.view
            source.update { change.apply(to: &$0) }
        }
    }

    private func line(of item: RoomItem) -> String {
        guard let id = item.message else { return "…" }
        return room?[id].map { "\($0.author): \($0.text)" } ?? ""
    }

    func perform<S, I>(_ update: ListUpdate<S, I>, completion: @escaping () -> Void) {
        let changes = update.changes
        update.commit()
        changes.apply(to: &lines) { source.cell(at: $0) }
        for path in changes.refreshedItems { lines[path.section][path.item] = source.cell(at: path) }
        completion()
    }

    func reloadData() {
        lines = (0..<source.numberOfSections).map { section in
            (0..<source.numberOfItems(inSection: section)).map { source.cell(at: ItemPath(section: section, item: $0)) }
        }
    }
}

extension RoomScreen {
    func load(_ item: RoomItem, of lobby: ClientRoom, with client: ChatClient) {
        if case .gap(let gap) = item { client.fill(gap, of: lobby.name, from: .end) }
    }
}
