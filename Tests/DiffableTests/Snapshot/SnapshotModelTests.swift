import Diffable
import Testing

@Suite
struct SnapshotModelTests {
    @Test(arguments: UInt64(0)..<60)
    func aSnapshotAgreesWithItsModelAfterAnySequenceOfOperations(seed: UInt64) {
        // A small universe collides often; a large one makes sections long enough for the index's hints to drift.
        var operations = RandomOperations(seed: seed, universe: seed % 2 == 0 ? 12 : 400)

        for step in 0..<250 {
            operations.step()
            guard step % 10 == 0 || step > 240 else { continue }
            expectAgreement(operations.snapshot, operations.model)
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func aCopyDoesNotSeeWhatHappensToTheOriginal(seed: UInt64) {
        var operations = RandomOperations(seed: seed, universe: 60)
        for _ in 0..<100 { operations.step() }
        let (copy, model) = (operations.snapshot, operations.model)

        for _ in 0..<100 { operations.step() }

        expectAgreement(copy, model)
    }

    @Test
    func hintsThatDriftInTheMiddleOfASectionAreStillFound() {
        var snapshot = Snapshot<Int, Int>()
        snapshot.appendSections([0])
        snapshot.appendItems(Array(0..<500))
        var model = Array(0..<500)

        for new in 500..<1000 {
            snapshot.insertItems([new], afterItem: 250)
            snapshot.deleteItems([new - 500].filter { $0 != 250 })
            model.insert(new, at: model.firstIndex(of: 250)! + 1)
            model.removeAll { $0 == new - 500 && $0 != 250 }
        }

        #expect(snapshot.itemIdentifiers == model)
        #expect(model.allSatisfy { snapshot.indexOfItem($0) == model.firstIndex(of: $0) })
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

    private func expectAgreement(_ snapshot: Snapshot<Int, Int>, _ model: ModelSnapshot) {
        let items = model.items
        #expect(snapshot.sectionIdentifiers == model.sections.map(\.id))
        #expect(snapshot.itemIdentifiers == items)
        #expect(snapshot.numberOfItems == items.count && snapshot.numberOfSections == model.sections.count)
        let everyIndexIsRight = items.enumerated().allSatisfy { snapshot.indexOfItem($1) == $0 }
        let everySectionIsRight = model.sections.enumerated().allSatisfy { position, section in
            snapshot.indexOfSection(section.id) == position
                && snapshot.itemIdentifiers(inSection: section.id) == section.items
                && section.items.enumerated().allSatisfy {
                    snapshot.path(of: $1) == ItemPath(section: position, item: $0)
                        && snapshot.sectionIdentifier(containingItem: $1) == section.id
                }
        }
        #expect(everyIndexIsRight && everySectionIsRight)
        #expect(snapshot.reloadedItemIdentifiers == items.filter(model.reloaded.contains))
        #expect(
            snapshot.reconfiguredItemIdentifiers
                == items.filter { model.reconfigured.contains($0) && !model.reloaded.contains($0) })
        #expect(snapshot.indexOfItem(-1) == nil && snapshot.sectionIdentifier(containingItem: -1) == nil)
    }
}
