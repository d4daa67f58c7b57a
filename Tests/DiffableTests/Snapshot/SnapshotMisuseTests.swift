import Diffable
import Testing

/// What stops the program, and that the identifier is named when it does.
@Suite
struct SnapshotMisuseTests {
    private static func sample() -> Snapshot<String, String> {
        var snapshot = Snapshot<String, String>()
        snapshot.appendSections(["fruit", "roots"])
        snapshot.appendItems(["apple", "pear"], toSection: "fruit")
        return snapshot
    }

    private static func says(_ words: String, _ result: ExitTest.Result?) -> Bool {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains(words)
    }

    @Test
    func anItemTwiceInOneCallStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var snapshot = SnapshotMisuseTests.sample()
            snapshot.appendItems(["kiwi", "plum", "kiwi"])
        }
        #expect(Self.says("Item kiwi stands twice", result))
    }

    @Test
    func anAnchorTwiceAmongTheItemsStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var snapshot = SnapshotMisuseTests.sample()
            snapshot.insertItems(["pear", "kiwi", "pear"], beforeItem: "pear")
        }
        #expect(Self.says("Item pear stands twice", result))
    }

    @Test
    func applyingChangesToTooFewRowsStopsAtTheLineThatCalled() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var snapshot = SnapshotMisuseTests.sample()
            snapshot.deleteItems(["pear"])
            var rows = [["apple"], []]
            snapshot.difference(from: SnapshotMisuseTests.sample()).apply(to: &rows, line: 81) { _ in "" }
        }
        #expect(Self.says("SnapshotMisuseTests.swift:81: Fatal error: There is no row at [0, 1]", result))
    }

    @Test
    func applyingChangesToTooFewSectionsStopsAtTheLineThatCalled() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var snapshot = SnapshotMisuseTests.sample()
            snapshot.appendItems(["beet"], toSection: "roots")
            var rows = [["apple", "pear"]]
            snapshot.difference(from: SnapshotMisuseTests.sample()).apply(to: &rows, line: 82) { _ in "" }
        }
        #expect(Self.says("SnapshotMisuseTests.swift:82: Fatal error: There are 1 sections of rows", result))
    }

    @Test
    func equalIdentifiersWithDifferentHashesStopWhenTheLastIsAmongThem() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Unhashable.compare(isInARow: false)
        }
        #expect(Self.says("Equal identifiers of type Unhashable have different hashes", result))
    }

    @Test
    func equalIdentifiersWithDifferentHashesStopWhenOneIsPassedInARow() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Unhashable.compare(isInARow: true)
        }
        #expect(Self.says("Equal identifiers of type Unhashable have different hashes", result))
    }

    @Test
    func childrenThatAreElsewhereStopAtTheLineThatUnfolds() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let table = RecordingTable<Int, String>()
            let source = DiffableDataSource<RecordingTable<Int, String>, Int, String>(view: table) { _, _, item, _ in
                item
            }
            var outline = SectionSnapshot<String>()
            outline.append(["fruit", "pear"])
            source.apply(outline, to: 0)
            source.sectionSnapshotHandlers.snapshotForExpandingParent = { _, children in
                var children = children
                children.append(["pear"])
                return children
            }
            source.expandItem("fruit", line: 83)
        }
        #expect(Self.says("SnapshotMisuseTests.swift:83: Fatal error: Item pear is in", result))
    }

    @Test
    func appendingToAnUnknownSectionStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var snapshot = SnapshotMisuseTests.sample()
            snapshot.appendItems(["kiwi"], toSection: "nuts")
        }
        #expect(Self.says("Section nuts is not in the snapshot", result))
    }

    @Test
    func appendingWithoutAnySectionStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var snapshot = Snapshot<String, String>()
            snapshot.appendItems(["kiwi"])
        }
        #expect(Self.says("No section to append the items [\"kiwi\"] to", result))
    }

    @Test
    func anUnknownAnchorStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var snapshot = SnapshotMisuseTests.sample()
            snapshot.insertItems(["kiwi"], beforeItem: "plum")
        }
        #expect(Self.says("Item plum is not in the snapshot", result))
    }

    @Test
    func theLineThatCalledIsNamed() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var snapshot = SnapshotMisuseTests.sample()
            snapshot.insertSections(["nuts"], afterSection: "herbs", line: 77)
        }
        #expect(Self.says("DiffableTests/SnapshotMisuseTests.swift:77: Fatal error: Section herbs is not", result))
    }

    @Test
    func theLineThatCalledIsNamedWhenItReadsWhatIsNotThere() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SnapshotMisuseTests.sample().numberOfItems(inSection: "nuts")
        }
        #expect(Self.says("DiffableTests/SnapshotMisuseTests.swift", result))
    }

    @Test
    func theLineThatCalledAnAdapterIsNamed() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let table = RecordingTable<String, String>()
            let source = DiffableDataSource<RecordingTable<String, String>, String, String>(view: table) {
                _, _, item, _ in
                item
            }
            DiffableTableAdapter(view: table, dataSource: source).append(["kiwi"], to: "nuts", line: 78)
        }
        #expect(Self.says("DiffableTests/SnapshotMisuseTests.swift:78", result))
    }

    @Test
    func theLineThatCalledAnOutlineIsNamed() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var outline = SectionSnapshot<String>()
            outline.append(["kiwi"], to: "fruit", line: 79)
        }
        #expect(Self.says("DiffableTests/SnapshotMisuseTests.swift:79: Fatal error: Item fruit is not", result))
    }

    @Test
    func movingAnUnknownItemStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var snapshot = SnapshotMisuseTests.sample()
            snapshot.moveItem("plum", afterItem: "apple")
        }
        #expect(Self.says("Item plum is not in the snapshot", result))
    }

    @Test
    func markingAnUnknownItemStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var snapshot = SnapshotMisuseTests.sample()
            snapshot.reconfigureItems(["plum"])
        }
        #expect(Self.says("Item plum is not in the snapshot: reconfigureItems(_:)", result))
    }

    @Test
    func readingAnUnknownSectionStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SnapshotMisuseTests.sample().itemIdentifiers(inSection: "nuts")
        }
        #expect(Self.says("Section nuts is not in the snapshot", result))
    }

    @Test
    func aSectionThatIsThereAlreadyStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var snapshot = SnapshotMisuseTests.sample()
            snapshot.appendSections(["roots"])
        }
        #expect(Self.says("Section roots is in the snapshot already", result))
    }
}

/// An identifier that breaks the rule that equal ones have equal hashes.
private struct Unhashable: Hashable, Sendable {
    var number: Int
    var salt: Int

    static func == (a: Unhashable, b: Unhashable) -> Bool { a.number == b.number }

    func hash(into hasher: inout Hasher) { hasher.combine(number &* 1_000 &+ salt) }

    /// Compares two lists, of which the second has two items that are equal to one of the first.
    static func compare(isInARow: Bool) {
        let items = (0..<200).map { Unhashable(number: $0, salt: 0) }
        func salted(_ number: Int) -> Unhashable { Unhashable(number: number, salt: 1) }
        let others: [Unhashable] =
            isInARow
            ? [items[199]] + items[5..<10] + [salted(10)] + items[11..<199] + [items[10]] + items[..<5]
            : [items[199], items[198]] + items[..<198] + [salted(199)]
        _ = list(others).difference(from: list(items))
    }

    private static func list(_ items: [Unhashable]) -> Snapshot<Int, Unhashable> {
        var list = Snapshot<Int, Unhashable>()
        list.appendSections([0])
        list.appendItems(items)
        return list
    }
}
