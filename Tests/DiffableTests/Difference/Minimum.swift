import Diffable

/// The fewest moves that are enough, counted in the slow and obvious way.
enum Minimum {
    /// Returns the number of sections in both lists, less the longest run of them that keeps its order.
    static func sectionMoves(from old: BatchSimulator, to new: BatchSimulator) -> Int {
        movesWithin(old.sections.map(\.id), new.sections.map(\.id))
    }

    /// Returns the number of items that change their section, and in each remaining section of those outside the
    /// longest order kept.
    static func itemMoves(from old: BatchSimulator, to new: BatchSimulator) -> Int {
        var home: [Int: Int] = [:]
        for section in old.sections { for item in section.items { home[item] = section.id } }
        var moves = 0
        for section in new.sections {
            moves += section.items.filter { home[$0] != nil && home[$0] != section.id }.count
            guard let before = old.sections.first(where: { $0.id == section.id }) else { continue }
            moves += movesWithin(before.items, section.items)
        }
        return moves
    }

    private static func movesWithin(_ old: [Int], _ new: [Int]) -> Int {
        let place = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1, $0) })
        let places = new.compactMap { place[$0] }
        // Nothing can be gained if the order is kept, so nothing need be tried.
        if zip(places, places.dropFirst()).allSatisfy(<) { return 0 }
        var longest: [Int] = []
        for (i, place) in places.enumerated() {
            var best = 0
            for j in 0..<i where places[j] < place && longest[j] > best { best = longest[j] }
            longest.append(best + 1)
        }
        return places.count - (longest.max() ?? 0)
    }
}
