/// A reference: Heckel's method as in the paper, for lists without repeats. By the usual rule an item moves when
/// deletions and insertions before it do not explain its place. The moves are not the fewest.
///
/// - Source: P. Heckel, "A technique for isolating differences between files", Communications of the ACM 21(4), 1978.
enum Heckel {
    enum Operation {
        case delete(Int)
        case insert(Int)
        case move(from: Int, to: Int)
    }

    private struct Symbol {
        var old: Int?
        var new: Int?
    }

    static func difference<ID: Hashable>(from old: [ID], to new: [ID]) -> [Operation] {
        var table: [ID: Symbol] = [:]
        for (place, id) in new.enumerated() { table[id, default: Symbol()].new = place }
        for (place, id) in old.enumerated() { table[id, default: Symbol()].old = place }

        var operations: [Operation] = []
        var deletedBefore = [Int](repeating: 0, count: old.count)
        var deleted = 0
        for (place, id) in old.enumerated() {
            deletedBefore[place] = deleted
            if table[id]?.new == nil {
                operations.append(.delete(place))
                deleted += 1
            }
        }
        var inserted = 0
        for (place, id) in new.enumerated() {
            if let from = table[id]?.old {
                if from - deletedBefore[from] + inserted != place { operations.append(.move(from: from, to: place)) }
            } else {
                operations.append(.insert(place))
                inserted += 1
            }
        }
        return operations
    }
}
