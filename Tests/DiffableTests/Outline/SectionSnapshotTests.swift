import Diffable
import TestSupport
import Testing

@Suite
struct SectionSnapshotTests {
    /// fruit (apple, pear), roots (carrot (baby)), nuts
    private var pantry: SectionSnapshot<String> {
        var snapshot = SectionSnapshot<String>()
        snapshot.append(["fruit", "roots", "nuts"])
        snapshot.append(["apple", "pear"], to: "fruit")
        snapshot.append(["carrot"], to: "roots")
        snapshot.append(["baby"], to: "carrot")
        return snapshot
    }

    @Test
    func itemsAreListedDepthFirst() {
        #expect(pantry.items == ["fruit", "apple", "pear", "roots", "carrot", "baby", "nuts"])
        #expect(pantry.rootItems == ["fruit", "roots", "nuts"])
        #expect(pantry.index(of: "carrot") == 4 && pantry.index(of: "plum") == nil)
    }

    @Test
    func onlyWhatHasUnfoldedAncestorsIsVisible() {
        var snapshot = pantry
        snapshot.expand(["roots", "carrot"])

        #expect(snapshot.visibleItems == ["fruit", "roots", "carrot", "baby", "nuts"])
        snapshot.collapse(["roots"])
        #expect(snapshot.visibleItems == ["fruit", "roots", "nuts"])
        #expect(snapshot.isExpanded("carrot") && !snapshot.isVisible("baby") && snapshot.isVisible("roots"))
        #expect(snapshot.expandedItems == ["carrot"])
    }

    @Test
    func aLeafMayBeUnfoldedBeforeItsChildrenCome() {
        var snapshot = pantry
        snapshot.expand(["nuts", "nobody"])

        snapshot.append(["almond"], to: "nuts")

        #expect(snapshot.isVisible("almond") && !snapshot.isExpanded("nobody"))
    }

    @Test
    func levelsAndParentsAreKnown() {
        #expect(pantry.level(of: "fruit") == 0 && pantry.level(of: "baby") == 2)
        #expect(pantry.parent(of: "baby") == "carrot" && pantry.parent(of: "fruit") == nil)
    }

    @Test
    func insertingAfterAnItemComesBehindAllItsDescendants() {
        var snapshot = pantry
        snapshot.insert(["bread"], after: "roots")
        snapshot.insert(["kiwi"], before: "pear")

        #expect(
            snapshot.items == ["fruit", "apple", "kiwi", "pear", "roots", "carrot", "baby", "bread", "nuts"])
        #expect(snapshot.level(of: "bread") == 0 && snapshot.parent(of: "kiwi") == "fruit")
    }

    @Test
    func deletingAnItemDeletesItsDescendants() {
        var snapshot = pantry

        snapshot.delete(["carrot", "roots", "apple", "plum"])

        #expect(snapshot.items == ["fruit", "pear", "nuts"] && !snapshot.contains("baby"))
    }

    @Test
    func outlinesAreEqualIfTheirItemsAreInTheSamePlacesFoldedAlikeHoweverTheyWereMade() {
        var again = pantry
        again.insert(["bread"], before: "fruit")
        again.delete(["bread", "carrot"])
        again.append(["carrot"], to: "roots")
        again.append(["baby"], to: "carrot")
        var unfolded = pantry
        unfolded.expand(["carrot"])
        var moved = pantry
        moved.delete(["baby"])
        moved.append(["baby"], to: "roots")

        #expect(pantry == again && pantry != unfolded && pantry != moved && pantry != SectionSnapshot())
    }

    @Test
    func aSubtreeKeepsItsFoldingAndStartsItsLevelsAnew() {
        var snapshot = pantry
        snapshot.expand(["carrot"])

        let with = snapshot.snapshot(of: "roots", includingParent: true)
        let without = snapshot.snapshot(of: "roots")

        #expect(with.items == ["roots", "carrot", "baby"] && with.level(of: "baby") == 2)
        #expect(without.items == ["carrot", "baby"] && without.level(of: "baby") == 1)
        #expect(without.parent(of: "carrot") == nil && without.isExpanded("carrot"))
        #expect(snapshot.snapshot(of: "nuts").items.isEmpty)
    }

    @Test
    func aSubtreeCanReplaceChildrenAndBeInsertedBesideOthers() {
        var grains = SectionSnapshot<String>()
        grains.append(["wheat"])
        grains.append(["spelt"], to: "wheat")
        grains.expand(["wheat"])
        var replaced = pantry
        replaced.replace(childrenOf: "roots", using: grains)
        var inserted = pantry
        inserted.insert(grains, after: "apple")

        #expect(replaced.items == ["fruit", "apple", "pear", "roots", "wheat", "spelt", "nuts"])
        #expect(replaced.level(of: "spelt") == 2 && replaced.isExpanded("wheat"))
        #expect(
            inserted.items == ["fruit", "apple", "wheat", "spelt", "pear", "roots", "carrot", "baby", "nuts"])
    }

    @Test
    func theOutlineCanBeReadAsText() {
        var snapshot = pantry
        snapshot.expand(["fruit"])
        snapshot.delete(["roots"])

        #expect(snapshot.visualDescription() == "* + fruit\n*     - apple\n*     - pear\n* - nuts")
    }

    @Test
    func anOutlineMayBeAsDeepAsItIsLong() {
        var snapshot = SectionSnapshot<Int>()
        snapshot.append([0])
        for item in 1..<20_000 { snapshot.append([item], to: item - 1) }

        #expect(snapshot.items == Array(0..<20_000) && snapshot.level(of: 19_999) == 19_999)
    }

    @Test(arguments: UInt64(0)..<20, Hashes.allCases)
    func anOutlineAgreesWithItsParentListAfterAnySequenceOfOperations(seed: UInt64, hashes: Hashes) {
        agrees(seed, hashes.identifier)
    }

    private func agrees<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        var random = SplitMix64(seed: seed)
        var snapshot = SectionSnapshot<ID>()
        for number in 0..<80 {
            let item = ID(number)
            let there = snapshot.items
            switch Int.random(in: 0..<6, using: &random) {
            case 0: snapshot.append([item])
            case 1, 2: snapshot.append([item], to: there.randomElement(using: &random))
            case 3: if let next = there.randomElement(using: &random) { snapshot.insert([item], after: next) }
            case 4: snapshot.expand(there.filter { _ in Bool.random(using: &random) })
            default: snapshot.delete(there.filter { $0.number % 17 == number % 17 })
            }

            let items = snapshot.items
            #expect(Set(items).count == items.count && items.allSatisfy(snapshot.contains))
            #expect(there.allSatisfy { snapshot.contains($0) == items.contains($0) })
            let placesAreRight = items.allSatisfy { item in
                guard let parent = snapshot.parent(of: item) else { return snapshot.level(of: item) == 0 }
                return snapshot.level(of: item) == snapshot.level(of: parent) + 1
                    && items.firstIndex(of: parent)! < items.firstIndex(of: item)!
            }
            #expect(placesAreRight)
            #expect(snapshot.visibleItems == items.filter(snapshot.isVisible))
        }
    }

    /// A long outline, of which copies change pages and not everything.
    @Test(arguments: UInt64(0)..<6)
    func copiesOfALongOutlineChangeApartFromEachOther(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var outline = SectionSnapshot<Int>()
        outline.append(Array(0..<500))
        for parent in 0..<3 { outline.append(Array(1_000 * (parent + 1)..<1_000 * (parent + 1) + 50), to: parent) }
        var copies = [outline]
        var models = [Model(outline)]
        for number in 10_000..<10_060 {
            let place = Int.random(in: copies.indices, using: &random)
            if copies.count < 4 { (copies, models) = (copies + [copies[place]], models + [models[place]]) }
            let there = models[place].items
            guard let some = there.randomElement(using: &random) else { continue }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: copies[place].append([number], to: some)
            case 1: copies[place].insert([number], before: some)
            case 2: copies[place].insert([number], after: some)
            case 3: copies[place].delete([some])
            case 4: copies[place].append(Array(number * 1_000..<number * 1_000 + number % 3 * 100))
            default: copies[place].expand([some])
            }
            models[place] = Model(copies[place])
            if number % 10 == 9 { #expect(copies.map(Model.init) == models) }
            #expect(copies[place].items.allSatisfy(copies[place].contains) && !copies[place].contains(-1))
        }
    }

    /// All that can be read of an outline.
    private struct Model: Equatable {
        var items: [Int]
        var levels: [Int]
        var expanded: [Int]

        init(_ outline: SectionSnapshot<Int>) {
            items = outline.items
            levels = items.map { outline.level(of: $0) }
            expanded = outline.expandedItems
        }
    }

    @Test
    func anItemThatIsThereAlreadyStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var snapshot = SectionSnapshot<String>()
            snapshot.append(["apple", "pear", "apple"])
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("Item apple is in the section snapshot already"))
    }

    @Test
    func anUnknownParentStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var snapshot = SectionSnapshot<String>()
            snapshot.append(["apple"], to: "fruit")
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("Item fruit is not in the section snapshot"))
    }
}
