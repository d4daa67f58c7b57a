import Diffable
import TestSupport
import Testing

/// A song that is equal to another one with the same number, whatever its title is.
private struct Track<ID: Numbered>: Hashable, Sendable {
    var id: ID
    var title: String

    init(_ number: Int, _ title: String) {
        (id, self.title) = (ID(number), title)
    }

    static func == (a: Track, b: Track) -> Bool { a.id == b.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// Marks that carry new copies of their items.
@Suite
struct CarryingTests {
    private typealias Song = Track<Int>
    private typealias Table = RecordingTable<Int, Song>

    private let table = Table()
    private let source: DiffableDataSource<Table, Int, Song>

    init() {
        source = DiffableDataSource(view: table) { _, _, song, _ in song.title }
        table.attach(source)
        source.update {
            $0.appendSections([0, 1])
            $0.appendItems([Song(1, "one"), Song(2, "two"), Song(3, "three")], toSection: 0)
        }
    }

    @Test
    func theListHasTheCopyAndAPlainMarkDoesNotReplaceIt() {
        var next = source.snapshot()
        next.reconfigureItems(carrying: [Song(2, "TWO")])
        next.reconfigureItems([Song(2, "2")])

        #expect(next.itemIdentifiers.map(\.title) == ["one", "TWO", "three"])
        #expect(next.reconfiguredItemIdentifiers.map(\.title) == ["TWO"] && next == source.snapshot())
        #expect(
            next.indexOfItem(Song(2, "")) == 1
                && source.itemIdentifier(for: ItemPath(section: 0, item: 1))?.title == "two")
    }

    @Test(arguments: [false, true])
    func aViewShowsTheCopyOfARowThatMoves(takesStages: Bool) {
        table.takesStages = takesStages
        source.update {
            $0.reconfigureItems(carrying: [Song(1, "ONE"), Song(2, "TWO")])
            $0.reloadItems(carrying: [Song(2, "2")])
            $0.moveItem(Song(1, ""), afterItem: Song(3, ""))
            $0.appendItems([Song(4, "four")], toSection: 1)
        }

        #expect(table.rows == [["2", "three", "ONE"], ["four"]] && table.tornReads == 0)
        #expect(table.performed.last?.movedItems.count == 1 && table.performed.last?.deletedItems == [])
        #expect(table.performed.last?.reloadedItems.count == 1 && table.performed.last?.reconfiguredItems.count == 1)
    }

    @Test
    func anAdapterCarriesWhatItRefreshes() {
        let adapter = DiffableTableAdapter(view: table, dataSource: source)
        adapter.reconfigure(Song(1, "ONE"))
        adapter.reload([Song(2, "TWO"), Song(3, "THREE")])

        #expect(table.rows == [["ONE", "TWO", "THREE"], []])
        #expect(adapter.items(in: 0).map(\.title) == ["ONE", "TWO", "THREE"])
    }

    @Test
    func anOutlineHasTheCopyWhenItUnfoldsAgain() {
        var outline = SectionSnapshot<Song>()
        outline.append([Song(5, "five")])
        outline.append([Song(6, "six")], to: Song(5, ""))
        outline.expand([Song(5, "")])
        source.apply(outline, to: 1)
        source.update { $0.reconfigureItems(carrying: [Song(6, "SIX")]) }

        #expect(table.rows[1] == ["five", "SIX"] && source.snapshot(for: 1).items.map(\.title) == ["five", "SIX"])
        source.collapseItem(Song(5, ""))
        source.expandItem(Song(5, ""))
        #expect(table.rows[1] == ["five", "SIX"])
    }

    @Test
    func anUnknownItemStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var list = Snapshot<Int, String>()
            list.reloadItems(carrying: ["a"])
        }
        let message = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(message.contains("CarryingTests.swift:"))
    }

    @Test(arguments: UInt64(0)..<20, Hashes.allCases)
    func theTableShowsTheCopiesThatCameLast(seed: UInt64, hashes: Hashes) {
        showsTheLast(seed, hashes.identifier)
    }

    private func showsTheLast<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        var random = SplitMix64(seed: seed)
        let table = RecordingTable<Int, Track<ID>>()
        table.takesStages = seed % 2 == 1
        let source = DiffableDataSource<RecordingTable<Int, Track<ID>>, Int, Track<ID>>(view: table) { _, _, track, _ in
            track.title
        }
        table.attach(source)
        var titles = Dictionary(uniqueKeysWithValues: (0..<200).map { ($0, "\($0)") })
        source.update {
            $0.appendSections([0, 1])
            $0.appendItems((0..<200).map { Track($0, "\($0)") }, toSection: 0)
        }
        for round in 0..<8 {
            let edited = (0..<200).filter { titles[$0] != nil }.shuffled(using: &random).prefix(9)
            for number in edited { titles[number] = "\(number), \(round)" }
            let (gone, moved) = (edited[0], edited[1...3])
            titles[gone] = nil
            source.update { list in
                list.reconfigureItems(carrying: edited.map { Track($0, "\($0), \(round)") })
                list.deleteItems([Track(gone, "")])
                list.appendItems(moved.map { Track($0, "") }, toSection: round % 2)
            }

            let order = source.snapshot().sectionIdentifiers.map { source.snapshot().itemIdentifiers(inSection: $0) }
            #expect(table.rows == order.map { $0.map { titles[$0.id.number]! } } && table.tornReads == 0)
        }
    }
}
