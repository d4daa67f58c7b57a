import Diffable
import TestSupport
import Testing

/// The operations for identifiers that nobody vouches for.
@Suite
struct ValidatingTests {
    private typealias Failure = SnapshotError<Int, Int>

    private static func sample() -> Snapshot<Int, Int> {
        var snapshot = Snapshot<Int, Int>()
        snapshot.appendSections([1, 2])
        snapshot.appendItems([10, 11, 12], toSection: 1)
        snapshot.appendItems([20], toSection: 2)
        return snapshot
    }

    private func expect(_ failure: Failure, _ change: (inout Snapshot<Int, Int>) throws -> Void) {
        var snapshot = Self.sample()
        #expect(throws: failure) { try change(&snapshot) }
        #expect(snapshot == Self.sample() && snapshot.reconfiguredItemIdentifiers.isEmpty)
    }

    @Test
    func whatIsUnknownIsNamedAndNothingChanges() {
        expect(.unknownSection(3)) { try $0.appendItems(validating: [5], toSection: 3) }
        expect(.unknownItem(9)) { try $0.insertItems(validating: [5], beforeItem: 9) }
        expect(.unknownItem(9)) { try $0.insertItems(validating: [5], afterItem: 9) }
        expect(.unknownItem(9)) { try $0.moveItem(validating: 9, beforeItem: 10) }
        expect(.unknownItem(9)) { try $0.moveItem(validating: 10, afterItem: 9) }
        expect(.unknownItem(9)) { try $0.reloadItems(validating: [10, 9]) }
        expect(.unknownItem(9)) { try $0.reconfigureItems(validating: [10, 9]) }
        expect(.unknownSection(3)) { try $0.insertSections(validating: [4], beforeSection: 3) }
        expect(.unknownSection(3)) { try $0.insertSections(validating: [4], afterSection: 3) }
        expect(.unknownSection(3)) { try $0.moveSection(validating: 3, beforeSection: 1) }
        expect(.unknownSection(3)) { try $0.moveSection(validating: 1, afterSection: 3) }
        expect(.unknownSection(3)) { try $0.reloadSections(validating: [1, 3]) }
    }

    @Test
    func whatRepeatsIsNamedAndNothingChanges() {
        expect(.repeatedItem(5)) { try $0.appendItems(validating: [5, 6, 5]) }
        expect(.repeatedItem(5)) { try $0.insertItems(validating: [5, 5], beforeItem: 10) }
        expect(.repeatedItem(10)) { try $0.insertItems(validating: [10, 10], afterItem: 10) }
        expect(.repeatedSection(2)) { try $0.appendSections(validating: [3, 2]) }
        expect(.repeatedSection(3)) { try $0.insertSections(validating: [3, 3], afterSection: 1) }
    }

    @Test
    func withoutASectionThereIsNothingToAppendTo() {
        var snapshot = Snapshot<Int, Int>()
        #expect(throws: Failure.noSection) { try snapshot.appendItems(validating: [1]) }
    }

    @Test
    func anOutlineNamesThemToo() {
        var outline = SectionSnapshot<Int>()
        outline.append([1, 2])
        let before = outline
        #expect(throws: SnapshotError<Never, Int>.unknownItem(9)) { try outline.append(validating: [3], to: 9) }
        #expect(throws: SnapshotError<Never, Int>.repeatedItem(3)) { try outline.append(validating: [3, 3], to: 1) }
        #expect(throws: SnapshotError<Never, Int>.repeatedItem(2)) { try outline.insert(validating: [2], before: 1) }
        #expect(throws: SnapshotError<Never, Int>.unknownItem(9)) { try outline.insert(validating: [3], after: 9) }
        #expect(outline == before)
    }

    /// Whatever is given, either it is refused and nothing changes, or what happens is what happens without checks: a check
    /// that lets through too much ends the test's process.
    @Test(arguments: UInt64(0)..<40)
    func noIdentifiersStopTheProgram(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var snapshot = Snapshot<Int, Int>()
        var outline = SectionSnapshot<Int>()
        func any() -> Int { Int.random(in: 0..<6, using: &random) }
        for _ in 0..<300 {
            let before = snapshot
            let some = (0..<any()).map { _ in any() }
            do {
                try change(&snapshot, with: some, any(), any(), kind: Int.random(in: 0..<13, using: &random))
            } catch {
                #expect(snapshot == before)
            }
            try? outline.append(validating: some, to: any() == 0 ? nil : any())
            try? outline.insert(validating: some, before: any())
            if any() == 0 { outline.delete([any()]) }
            if any() == 0 { snapshot.deleteItems([any()]) }
        }
        #expect(Set(snapshot.itemIdentifiers).count == snapshot.numberOfItems)
    }

    private func change(_ list: inout Snapshot<Int, Int>, with some: [Int], _ a: Int, _ b: Int, kind: Int) throws {
        switch kind {
        case 0: try list.appendItems(validating: some, toSection: a)
        case 1: try list.appendItems(validating: some)
        case 2: try list.insertItems(validating: some, beforeItem: a)
        case 3: try list.insertItems(validating: some, afterItem: a)
        case 4: try list.moveItem(validating: a, beforeItem: b)
        case 5: try list.moveItem(validating: a, afterItem: b)
        case 6: try list.reloadItems(validating: some)
        case 7: try list.reconfigureItems(validating: some)
        case 8: try list.appendSections(validating: some)
        case 9: try list.insertSections(validating: some, beforeSection: a)
        case 10: try list.insertSections(validating: some, afterSection: a)
        case 11: try list.moveSection(validating: a, afterSection: b)
        default: try list.reloadSections(validating: some)
        }
    }
}
