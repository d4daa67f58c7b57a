import TestSupport
import Testing

@testable import Diffable

/// The quick way to have outlines follow a few changes, beside the one that makes them anew.
@Suite
struct ChangedOutlinesTests {
    @Test(arguments: UInt64(0)..<8, Hashes.allCases)
    func outlinesThatFollowQuicklyAreThoseThatAreMadeAnew(seed: UInt64, hashes: Hashes) {
        agree(seed, hashes.identifier)
    }

    private func agree<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        var random = SplitMix64(seed: seed)
        var shown = Shown<Int, ID>()
        shown.show(outline(0, &random), in: 0)
        shown.show(outline(100, &random), in: 1)
        shown.snapshot.appendSections([2])
        shown.snapshot.appendItems((200..<206).map { ID($0) }, toSection: 2)
        var quick = 0
        for number in 300..<360 {
            let next = changed(shown.snapshot, number, &random)
            var expected = shown
            expected.follow(next, moved: nil)
            let changes = next.difference(from: shown.snapshot)
            if let outlines = ChangedOutlines(shown.outlines, from: shown.snapshot, to: next, changes) {
                quick += 1
                for (section, outline) in outlines.outlines {
                    #expect(outline == expected.outlines[section])
                    #expect(outline.visibleItems == next.itemIdentifiers(inSection: section))
                }
                for section in expected.outlines.keys where outlines.outlines[section] == nil {
                    #expect(shown.outlines[section] == expected.outlines[section])
                }
            }
            shown.show(next)
            #expect(shown.outlines == expected.outlines)
        }
        #expect(quick > 20)
    }

    /// Three levels, partly unfolded.
    private func outline<ID: Numbered>(_ first: Int, _ random: inout SplitMix64) -> SectionSnapshot<ID> {
        var outline = SectionSnapshot<ID>()
        outline.append((first..<first + 5).map { ID($0) })
        for number in first + 5..<first + 40 {
            outline.append([ID(number)], to: outline.items.randomElement(using: &random))
        }
        outline.expand(outline.items.filter { _ in Int.random(in: 0..<3, using: &random) > 0 })
        return outline
    }

    private func changed<ID: Numbered>(
        _ list: Snapshot<Int, ID>, _ number: Int, _ random: inout SplitMix64
    ) -> Snapshot<Int, ID> {
        var list = list
        for step in 0..<Int.random(in: 1...3, using: &random) {
            guard let item = list.itemIdentifiers.randomElement(using: &random),
                let other = list.itemIdentifiers.randomElement(using: &random)
            else { continue }
            let new = ID(number * 10 + step)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: list.insertItems([new], beforeItem: item)
            case 1: list.insertItems([new], afterItem: item)
            case 2: list.appendItems([new], toSection: Int.random(in: 0...2, using: &random))
            case 3: list.deleteItems([item])
            case 4: list.moveItem(item, beforeItem: other)
            default: list.moveItem(item, afterItem: other)
            }
        }
        return list
    }
}
