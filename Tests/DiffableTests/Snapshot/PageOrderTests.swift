import TestSupport
import Testing

@testable import Diffable

/// When the order of a section's pages changes. Such a change costs as much as there are pages; all others cost as much
/// as there are rows in one, and an addition for each page behind it.
@Suite
struct PageOrderTests {
    /// At every second size of the page, whether the row comes first or goes first.
    @Test(arguments: Hashes.allCases, Place.allCases)
    func aRowThatComesAndGoesAgainAndAgainChangesTheOrderOnce(hashes: Hashes, place: Place) {
        changesTheOrderOnce(place, hashes.identifier)
    }

    private func changesTheOrderOnce<ID: Numbered>(_ place: Place, _: ID.Type) {
        var list = CountedList<ID>(count: 128)
        // With few hashes searching is slow.
        let sizesBetween = ID.self == Int.self ? 2 : 32
        for step in 0..<200 {
            defer { if step < 100 { list.insert(1, at: place) } else { list.delete(1, at: place) } }
            if step % sizesBetween > 0 { continue }
            list.changes = 0
            var (comes, goes, moves) = (list, list, list)
            for _ in 0..<3 {
                comes.insert(1, at: place)
                comes.delete(1, at: place)
                goes.delete(1, at: place)
                goes.insert(1, at: place)
                moves.move(from: place, to: .secondPage)
                moves.move(from: .secondPage, to: place)
            }
            // A move is of two places.
            #expect(comes.changes <= 1 && goes.changes <= 1 && moves.changes <= 2, "after \(step) steps")
            #expect(comes.isRight && goes.isRight && moves.isRight, "after \(step) steps")
        }
    }

    @Test(arguments: UInt64(0)..<4, Hashes.allCases)
    func theOrderChangesOnceForManyRowsThatComeAndGo(seed: UInt64, hashes: Hashes) {
        changesSeldom(seed, hashes.identifier)
    }

    private func changesSeldom<ID: Numbered>(_ seed: UInt64, _: ID.Type) {
        var random = SplitMix64(seed: seed)
        var list = CountedList<ID>(count: 300)
        let pages = list.snapshot.pages.homes.count
        for _ in 0..<(ID.self == Int.self ? 30 : 4) {
            let (place, other) = (
                Place.allCases.randomElement(using: &random)!, Place.allCases.randomElement(using: &random)!
            )
            let most = Bool.random(using: &random) ? 1 : 70
            let isGrowing = Bool.random(using: &random)
            for _ in 0..<Int.random(in: 1...(most == 1 ? 40 : 3), using: &random) {
                let count = Int.random(in: 1...most, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: list.move(from: place, to: other)
                case 1: if isGrowing { list.delete(count, at: place) } else { list.insert(count, at: place) }
                default: if isGrowing { list.insert(count, at: place) } else { list.delete(count, at: place) }
                }
            }
            #expect(list.isRight)
        }

        #expect(list.changes * 8 <= list.rowsMoved + pages * 8)
    }

    /// Copies that differ in rows of two pages have the same order, too.
    @Test(arguments: Hashes.allCases)
    func rowsOfSeveralPagesGoWithoutAChangeOfTheOrder(hashes: Hashes) {
        goFromSeveralPages(hashes.identifier)
    }

    private func goFromSeveralPages<ID: Numbered>(_: ID.Type) {
        var list = CountedList<ID>(count: 640)

        list.delete([0, 100, 300, 639])

        #expect(list.changes == 0 && list.isRight)
    }
}

/// Where rows come and go.
enum Place: CaseIterable, Sendable {
    case front
    case secondPage
    case inThePage
    case end

    /// The row before which others come, in a list of so many.
    func row(of count: Int) -> Int {
        switch self {
        case .front: 0
        case .secondPage: min(64, count)
        case .inThePage: min(100, count)
        case .end: count
        }
    }
}

/// A section beside an array, and how often the order of its pages has changed.
private struct CountedList<ID: Numbered> {
    private(set) var snapshot = Snapshot<Int, ID>()
    private(set) var model: [Int]
    var changes = 0
    /// The number of rows that came or went.
    private(set) var rowsMoved = 0
    private var next = 10_000

    init(count: Int) {
        model = Array(0..<count)
        snapshot.appendSections([0])
        snapshot.appendItems(model.map(ID.init))
    }

    /// True when the snapshot has the rows of the array, and finds each.
    var isRight: Bool {
        snapshot.itemIdentifiers.map(\.number) == model && model.allSatisfy { snapshot.contains(ID($0)) }
            && snapshot.pages.homes.indices.allSatisfy {
                snapshot.pages.homes[$0].token == 0 || snapshot.pages.count($0) == 0
            }
    }

    mutating func insert(_ count: Int, at place: Place) {
        let new = Array(next..<next + count)
        next += count
        insert(new, at: place)
    }

    private mutating func insert(_ new: [Int], at place: Place) {
        let row = place.row(of: model.count)
        let anchor = row < model.count ? ID(model[row]) : nil
        count(new.count) {
            if let anchor {
                $0.insertItems(new.map(ID.init), beforeItem: anchor)
            } else {
                $0.appendItems(new.map(ID.init))
            }
        }
        model.insert(contentsOf: new, at: row)
    }

    mutating func delete(_ count: Int, at place: Place) {
        let end = min(place.row(of: model.count) + count, model.count)
        delete(Array(model[max(end - count, 0)..<end]))
    }

    mutating func delete(_ gone: [Int]) {
        count(gone.count) { $0.deleteItems(gone.map(ID.init)) }
        model.removeAll(where: Set(gone).contains)
    }

    /// Moves one row before another one.
    mutating func move(from place: Place, to other: Place) {
        let row = min(place.row(of: model.count), model.count - 1)
        let target = min(other.row(of: model.count), model.count - 1)
        if row < 0 || row == target { return }
        let (moved, anchor) = (model[row], model[target])
        count(2) { $0.moveItem(ID(moved), beforeItem: ID(anchor)) }
        model.remove(at: row)
        model.insert(moved, at: model.firstIndex(of: anchor)!)
    }

    private mutating func count(_ rows: Int, _ body: (inout Snapshot<Int, ID>) -> Void) {
        let before = snapshot.slots[0].rows.numbers
        body(&snapshot)
        if !snapshot.slots[0].rows.numbers.isShared(with: before) { changes += 1 }
        rowsMoved += rows
    }
}
