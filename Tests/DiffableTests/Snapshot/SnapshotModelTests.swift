import Diffable
import Testing

@Suite
struct SnapshotModelTests {
    @Test(arguments: UInt64(0)..<40, Hashes.allCases)
    func aSnapshotAgreesWithItsModelAfterAnySequenceOfOperations(seed: UInt64, hashes: Hashes) {
        agreesAfterOperations(seed, hashes.identifier)
    }

    private func agreesAfterOperations<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        // In a small universe items are met again often; a large one makes sections of several pages.
        var operations = RandomOperations<ID>(seed: seed, universe: seed % 2 == 0 ? 12 : 400)

        for step in 0..<250 {
            operations.step()
            guard step % 25 == 0 || step > 245 else { continue }
            expectAgreement(operations.snapshot, operations.model)
        }
    }

    @Test(arguments: UInt64(0)..<20, Hashes.allCases)
    func aCopyDoesNotSeeWhatHappensToTheOriginal(seed: UInt64, hashes: Hashes) {
        isLeftAlone(seed, hashes.identifier)
    }

    private func isLeftAlone<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        var operations = RandomOperations<ID>(seed: seed, universe: 60)
        for _ in 0..<100 { operations.step() }
        let (copy, model) = (operations.snapshot, operations.model)

        for _ in 0..<100 { operations.step() }

        expectAgreement(copy, model)
    }

    /// Short lists are searched, longer ones have a table.
    @Test(arguments: Hashes.allCases)
    func itemsAreFoundAndRepeatedOnesRefusedInListsOfAnyLength(hashes: Hashes) {
        areFoundAndRefused(hashes.identifier)
    }

    private func areFoundAndRefused<ID: Numbered>(_: ID.Type) {
        for count in 1...40 {
            let ids = (0..<count).map { ID($0) }
            for first in Set([0, 1, count / 2, count]) {
                var snapshot = Snapshot<Int, ID>()
                snapshot.appendSections([0, 1])
                snapshot.appendItems(Array(ids[..<first]), toSection: 0)
                snapshot.appendItems(Array(ids[first...]), toSection: 1)
                #expect(ids.compactMap(snapshot.indexOfItem) == Array(0..<count) && !snapshot.contains(ID(count)))

                let moved = snapshot.appendItems([ID(count), ids[0]], toSection: 1)
                #expect(moved == [ids[0]] && snapshot.indexOfItem(ids[0]) == count)
                #expect(throws: SnapshotError<Int, ID>.repeatedItem(ids[first % count])) {
                    try Snapshot<Int, ID>(sections: [(0, ids), (1, [ID(count), ids[first % count], ID(count)])])
                }
            }
        }
    }

    /// Rows come in the middle, so that pages are split, and go at the beginning, so that others empty.
    @Test(arguments: Hashes.allCases)
    func itemsAreFoundWhateverComesAndGoesBeforeThem(hashes: Hashes) {
        areFound(hashes.identifier)
    }

    private func areFound<ID: Numbered>(_: ID.Type) {
        var snapshot = Snapshot<Int, ID>()
        snapshot.appendSections([0])
        snapshot.appendItems((0..<500).map(ID.init))
        var model = Array(0..<500)

        for new in 500..<1000 {
            snapshot.insertItems([ID(new)], afterItem: ID(250))
            snapshot.deleteItems([new - 500].filter { $0 != 250 }.map(ID.init))
            model.insert(new, at: model.firstIndex(of: 250)! + 1)
            model.removeAll { $0 == new - 500 && $0 != 250 }
        }

        #expect(snapshot.itemIdentifiers.map(\.number) == model)
        #expect(model.enumerated().allSatisfy { snapshot.indexOfItem(ID($1)) == $0 })
    }

    @Test(arguments: Hashes.allCases)
    func anItemThatIsListedIsFoundWhenOthersWithItsHashHaveGone(hashes: Hashes) {
        staysFound(hashes.identifier)
    }

    private func staysFound<ID: Numbered>(_: ID.Type) {
        for gone in [[0, 1], [1, 2], [0, 2], [2, 1]] {
            var snapshot = Snapshot<Int, ID>()
            snapshot.appendSections([0])
            snapshot.appendItems((0..<3).map { ID($0 * 3) })
            for number in gone { snapshot.deleteItems([ID(number * 3)]) }
            let left = snapshot.itemIdentifiers

            #expect(left.count == 1 && left.allSatisfy(snapshot.contains))
            #expect(snapshot.appendItems(left) == left && snapshot.itemIdentifiers == left)
        }
    }

    @Test
    func indicesAreRightWhileFewSectionsBecomeManyAndFewAgain() {
        var snapshot = Snapshot<Int, Int>()
        var model = ModelSnapshot()
        for section in 0..<40 {
            snapshot.appendSections([section])
            snapshot.appendItems([section * 2, section * 2 + 1])
            model.sections.append(ModelSnapshot.Section(id: section, items: [section * 2, section * 2 + 1]))
            snapshot.deleteItems([section])
            model.delete([section])
            expectAgreement(snapshot, model)
        }
        for section in 0..<39 {
            snapshot.deleteSections([section])
            model.delete(model.sections.removeFirst().items)
            expectAgreement(snapshot, model)
        }
    }

    private func expectAgreement<ID: Numbered>(_ snapshot: Snapshot<Int, ID>, _ model: ModelSnapshot) {
        let items = model.items
        #expect(snapshot.sectionIdentifiers == model.sections.map(\.id))
        #expect(snapshot.itemIdentifiers.map(\.number) == items)
        #expect(snapshot.numberOfItems == items.count && snapshot.numberOfSections == model.sections.count)
        let everyIndexIsRight = items.enumerated().allSatisfy { snapshot.indexOfItem(ID($1)) == $0 }
        let everySectionIsRight = model.sections.enumerated().allSatisfy { position, section in
            snapshot.indexOfSection(section.id) == position
                && snapshot.itemIdentifiers(inSection: section.id).map(\.number) == section.items
                && section.items.enumerated().allSatisfy {
                    snapshot.path(of: ID($1)) == ItemPath(section: position, item: $0)
                        && snapshot.sectionIdentifier(containingItem: ID($1)) == section.id
                }
        }
        #expect(everyIndexIsRight && everySectionIsRight)
        #expect(snapshot.reloadedItemIdentifiers.map(\.number) == items.filter(model.reloaded.contains))
        #expect(
            snapshot.reconfiguredItemIdentifiers.map(\.number)
                == items.filter { model.reconfigured.contains($0) && !model.reloaded.contains($0) })
        #expect(snapshot.indexOfItem(ID(-1)) == nil && snapshot.sectionIdentifier(containingItem: ID(-1)) == nil)
    }
}
