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
        #expect(throws: SnapshotError<Never, Int>.repeatedItem(1)) { try outline.insert(validating: before, after: 2) }
        #expect(throws: SnapshotError<Never, Int>.unknownItem(9)) { try outline.insert(validating: before, before: 9) }
        #expect(throws: SnapshotError<Never, Int>.repeatedItem(1)) {
            try outline.replace(childrenOf: 2, validating: before)
        }
        #expect(outline == before)
    }

    /// Whatever is given, either it is refused and nothing changes, or what happens is what happens without checks: a check
    /// that lets through too much ends the test's process.
    @Test(arguments: UInt64(0)..<14, Hashes.allCases)
    func noIdentifiersStopTheProgram(seed: UInt64, hashes: Hashes) throws {
        goesOn(seed, hashes.identifier)
    }

    private func goesOn<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        var random = SplitMix64(seed: seed)
        var snapshot = Snapshot<ID, ID>()
        func any() -> Int { Int.random(in: 0..<6, using: &random) }
        func some() -> [ID] { (0..<any()).map { _ in ID(any()) } }
        for _ in 0..<300 {
            let before = snapshot
            do {
                let kind = Int.random(in: 0..<13, using: &random)
                try change(&snapshot, with: some(), ID(any()), ID(any()), kind: kind)
            } catch {
                #expect(snapshot == before)
            }
            if any() == 0 { snapshot.deleteItems([ID(any())]) }
        }
        #expect(Set(snapshot.itemIdentifiers).count == snapshot.numberOfItems)
    }

    @Test(arguments: UInt64(0)..<14, Hashes.allCases)
    func noIdentifiersStopTheProgramInAnOutline(seed: UInt64, hashes: Hashes) {
        outlineGoesOn(seed, hashes.identifier)
    }

    private func outlineGoesOn<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        var random = SplitMix64(seed: seed)
        var outline = SectionSnapshot<ID>()
        func any() -> ID { ID(Int.random(in: 0..<9, using: &random)) }
        func some() -> [ID] { (0..<Int.random(in: 0..<4, using: &random)).map { _ in any() } }
        for _ in 0..<300 {
            let before = outline
            var other = SectionSnapshot<ID>()
            try? other.append(validating: some())
            if let parent = other.rootItems.first { try? other.append(validating: some(), to: parent) }
            do {
                switch Int.random(in: 0..<8, using: &random) {
                case 0: try outline.append(validating: some())
                case 1: try outline.append(validating: some(), to: any())
                case 2: try outline.insert(validating: some(), before: any())
                case 3: try outline.insert(validating: some(), after: any())
                case 4: try outline.insert(validating: other, before: any())
                case 5: try outline.insert(validating: other, after: any())
                case 6: try outline.replace(childrenOf: any(), validating: other)
                default: outline.delete([any()])
                }
            } catch {
                #expect(outline == before)
            }
            #expect(Set(outline.items).count == outline.items.count)
        }
    }

    private func change<ID: Numbered>(
        _ list: inout Snapshot<ID, ID>, with some: [ID], _ a: ID, _ b: ID, kind: Int
    ) throws {
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
