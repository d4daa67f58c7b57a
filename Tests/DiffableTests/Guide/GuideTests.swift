import Diffable
import FoundationEssentials
import Testing

private typealias Screen = GuideViews.Screen

/// The code of the guide, and what it shows.
@Suite
struct GuideTests {
    private let store = GuideStore()
    private let screen = Screen()

    private func makeSource(
        _ snapshot: Snapshot<ChatSection, Message.ID> = Snapshot()
    ) -> DiffableDataSource<Screen, ChatSection, Message.ID> {
        let store = store
        let source = DiffableDataSource<Screen, ChatSection, Message.ID>(view: screen) { screen, path, id, section in
            (section == .socket ? "* " : "  ") + store.text(of: id)
        }
        screen.source = source
        source.sectionHeaderProvider = { _, _, section in section.title }
        source.supplementaryProvider = { screen, kind, path in kind == .footer ? screen.footer(of: path.section) : nil }
        source.defaultRowAnimation = .fade
        source.apply(snapshot) { screen.scrollToLastRow() }
        return source
    }

    @Test
    func theChangesOfTheFirstExampleAreApplied() {
        var shown = Snapshot<String, Int>()
        shown.appendSections(["inbox", "archive"])
        shown.appendItems([1, 2, 3], toSection: "inbox")

        var next = shown
        next.moveItem(3, beforeItem: 1)
        next.appendItems([4], toSection: "archive")

        let changes = next.difference(from: shown)
        print(changes.movedItems.count, changes.insertedItems)  // 1 [[1, 0]]

        var lines = [["one", "two", "three"], []]
        changes.apply(to: &lines) { path in "item \(next.itemIdentifier(at: path)!)" }
        print(lines)  // [["three", "one", "two"], ["item 4"]]

        #expect("\(changes.movedItems.count) \(changes.insertedItems)" == "1 [[1, 0]]")
        #expect(lines == [["three", "one", "two"], ["item 4"]])
    }

    @Test
    func aScreenShowsAListAndItsChanges() {
        let dataSource = makeSource()
        let history = store.add("one", "two").map(Identified.init)
        let received = store.add("three").map(Identified.init)

        var snapshot = Snapshot<ChatSection, Message.ID>()
        snapshot.appendSections([.history, .socket])
        snapshot.appendItems(history.map(\.id), toSection: .history)
        snapshot.appendItems(received.map(\.id), toSection: .socket)
        dataSource.apply(snapshot)

        #expect(screen.drawn == ["history", "2 rows", "  one", "  two", "socket", "1 rows", "* three"])
        store.texts[history[0].id] = "ONE"
        store.texts[received[0].id] = "THREE"
        snapshot.reconfigureItems([history[0].id])
        snapshot.reloadSections([.socket])
        snapshot.moveItem(history[1].id, beforeItem: history[0].id)
        dataSource.apply(snapshot)
        #expect(screen.lines == [["  two", "  ONE"], ["* THREE"]])
    }

    @Test
    func aSnapshotIsChanged() {
        let (first, pinned, expired, draft) = (store.add("a")[0], store.add("b")[0], store.add("c"), store.add("d")[0])
        var snapshot = Snapshot<ChatSection, Message.ID>()
        snapshot.appendSections([.archive, .inbox])
        snapshot.appendItems([first] + expired + [pinned])
        let dataSource = makeSource(snapshot)

        var next = dataSource.snapshot()
        next.insertItems([draft], beforeItem: first)
        next.moveItem(pinned, beforeItem: draft)
        next.deleteItems(expired)
        next.moveSection(.archive, afterSection: .inbox)
        dataSource.apply(next)

        #expect(screen.lines == [["  b", "  d", "  a"], []])
    }

    @Test
    func unknownAndRepeatedIdentifiersAreReported() {
        var errors = 0
        func report(_: any Error) { errors += 1 }
        let (arrived, received, anchor) = (store.add("a", "b"), store.add("c"), Message.ID())
        var snapshot = Snapshot<ChatSection, Message.ID>()
        snapshot.appendSections([.socket])
        snapshot.appendItems([arrived[0]])

        let wereThere = snapshot.appendItems(arrived, toSection: .socket)

        #expect(wereThere == [arrived[0]] && snapshot.itemIdentifiers == arrived)

        do { try snapshot.insertItems(validating: received, afterItem: anchor) } catch { report(error) }

        #expect(errors == 1 && snapshot.itemIdentifiers == arrived)
    }

    @Test
    func identifiersHaveTypesOfTheirOwn() {
        let (old, new) = (MessageID(raw: Message.ID()), MessageID(raw: Message.ID()))
        var snapshot = Snapshot<ChatSection, MessageID>()
        snapshot.appendSections([.inbox])
        snapshot.appendItems([old, new])

        #expect(snapshot.indexOfItem(new) == 1 && new.wrappedIdentifier == new.raw)
    }

    @Test
    func aDraftIsRenamedAndChangesThrowTogether() throws {
        let (draft, answer, anchor, received) = (Message.ID(), Message.ID(), Message.ID(), store.add("a"))
        var snapshot = Snapshot<ChatSection, Message.ID>()
        snapshot.appendSections([.socket])
        snapshot.appendItems([anchor, draft])

        snapshot.renameItem(draft, to: answer)

        #expect(snapshot.itemIdentifiers == [anchor, answer])

        try snapshot.update { list throws(SnapshotError<ChatSection, Message.ID>) in
            try list.moveItem(validating: answer, beforeItem: anchor)
            try list.appendItems(validating: received)
        }

        #expect(snapshot.itemIdentifiers == [answer, anchor] + received)
    }

    @Test
    func changesAreAppliedAsTheyArrive() async {
        let ids = store.add("a", "b", "c")
        let snapshots = AsyncStream<Snapshot<ChatSection, Message.ID>> { continuation in
            var next = Snapshot<ChatSection, Message.ID>()
            next.appendSections([.history])
            for id in ids {
                next.appendItems([id])
                continuation.yield(next)
            }
            continuation.finish()
        }
        var lines: [[String]] = []

        for await change in snapshots.differences() {
            change.changes.apply(to: &lines) { path in store.text(of: change.snapshot.itemIdentifier(at: path)!) }
        }

        #expect(lines == [["a", "b", "c"]])
    }

    @Test
    func contentsAreCompared() {
        let table = RecordingTable<Int, Note>()
        let dataSource = DiffableDataSource<RecordingTable<Int, Note>, Int, Note>(view: table) { _, _, note, _ in
            note.text
        }
        table.attach(dataSource)

        dataSource.isContentEqual = { old, new in old.text == new.text }

        for text in ["old", "new"] {
            var snapshot = Snapshot<Int, Note>()
            snapshot.appendSections([0])
            snapshot.appendItems([Note(id: 1, text: text)])
            dataSource.apply(snapshot)
        }
        #expect(table.rows == [["new"]] && table.performed.last?.reconfiguredItems.count == 1)
        var snapshot = dataSource.snapshot()
        let edited = Note(id: 1, text: "edited")

        snapshot.reconfigureItems(carrying: [edited])

        dataSource.apply(snapshot)
        #expect(table.rows == [["edited"]])
    }

    @Test
    func changesAreAppliedToOwnLines() {
        let ids = store.add("a", "b", "c")
        var shown = Snapshot<ChatSection, Message.ID>()
        shown.appendSections([.history])
        shown.appendItems([ids[0], ids[1]])
        var lines = [["a", "b"]]
        var next = shown
        next.moveItem(ids[1], beforeItem: ids[0])
        next.appendItems([ids[2]])
        next.reloadItems([ids[0]])
        store.texts[ids[0]] = "A"

        let changes = next.difference(from: shown)

        #expect(changes.movedItems.count == 1)

        changes.apply(to: &lines) { path in store.text(of: next.itemIdentifier(at: path)!) }
        for path in changes.refreshedItems {
            lines[path.section][path.item] = store.text(of: next.itemIdentifier(at: path)!)
        }

        #expect(lines == [["b", "A", "c"]])
    }

    @Test
    func rowsAreDraggedAndPutBack() throws {
        let table = SongTable()
        var order = ["Yesterday", "Help!", "Girl"]
        let (lifted, dropped) = (ItemPath(section: 0, item: 2), ItemPath(section: 0, item: 0))

        let source = BaseReorderableDiffableDataSource<SongTable, Int, Song.ID>.create(
            view: table, allowCrossSectionMove: true, allowReordering: true
        ) { _, _, id, _ in
            store.title(of: id)
        }
        source.canMoveItem = { store.isMine($0) }
        source.didReorder = { transaction in order = order.applying(transaction.difference)! }

        table.attach(source)
        source.update { [order] in
            $0.appendSections([0])
            $0.appendItems(order)
        }

        try source.moveRow(at: lifted, to: dropped)

        #expect(order == ["Girl", "Yesterday", "Help!"] && source.snapshot().itemIdentifiers == order)
        store.fixed = ["Help!"]

        do { try source.moveRow(at: lifted, to: dropped) } catch { source.apply(source.snapshot()) }

        #expect(order == ["Girl", "Yesterday", "Help!"] && table.rows == [["♪ Girl", "♪ Yesterday", "♪ Help!"]])
    }

    @Test
    func anOutlineIsShown() {
        typealias Folder = Song
        let table = RecordingTable<GuideFolders, Song.ID>()
        let dataSource = DiffableDataSource<RecordingTable<GuideFolders, Song.ID>, GuideFolders, Song.ID>(view: table) {
            _, _, id, _ in id
        }
        table.attach(dataSource)
        let (inbox, archive, work, family) = ("inbox", "archive", "work", "family")

        var outline = SectionSnapshot<Folder.ID>()
        outline.append([inbox, archive])
        outline.append([work, family], to: archive)
        outline.expand([archive])
        dataSource.apply(outline, to: .folders)

        #expect(table.rows == [["inbox", "archive", "work", "family"]])
    }

    @Test
    func stagesArePerformedOneByOne() {
        let screen = GuideViews.StagingScreen()
        let source = DiffableDataSource<GuideViews.StagingScreen, Int, Int>(view: screen) { _, _, _, _ in "" }
        source.update {
            $0.appendSections([0])
            $0.appendItems([1, 2])
        }
        source.update {
            $0.deleteItems([1])
            $0.appendItems([3])
        }
        #expect(screen.purposes == ["insert", "insert", "delete", "insert"])
    }

    @Test
    @MainActor
    func aScreenOfTheMainActorIsShown() {
        let screen = GuideViews.MainScreen()
        let source = DiffableDataSource<GuideViews.MainScreen, Int, Int>(view: screen) { _, _, _, _ in "" }
        source.update {
            $0.appendSections([0])
            $0.appendItems([1, 2])
        }
        #expect(screen.count == 2)
    }
}

struct MessageID: Hashable { let raw: UUID }
extension MessageID: IdentifierWrapper { var wrappedIdentifier: UUID { raw } }

private struct Identified {
    var id: Message.ID
}

enum GuideFolders {
    case folders
}

private struct Note: Hashable {
    var id: Int
    var text: String

    static func == (a: Note, b: Note) -> Bool { a.id == b.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
