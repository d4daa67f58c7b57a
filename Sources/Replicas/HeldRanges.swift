public import ChatWire

/// The parts of a list that a replica holds, as ranges of sort keys.
///
/// Inside a range the replica has every row of the list. Between two ranges is a gap: the replica does not know what is
/// there.
///
/// - Shape: ascending, disjoint, and not touching each other. The last range, the tail, is open at its end. At most
///   ``ChatWire/Resume/mostRanges`` ranges, and after an absence perhaps one more.
public struct HeldRanges: Equatable, Sendable {
    private var held: [Held]
    private var nextID = 1

    private struct Held: Equatable, Sendable {
        var keys: SortKeys
        /// The id of the gap before the range.
        let id: Int
    }

    /// - Parameter tail: the first sort key of the only range.
    init(from tail: UInt64) {
        held = [Held(keys: tail...(.max), id: 0)]
    }

    public var ranges: [SortKeys] { held.map(\.keys) }

    /// The range that is open at its end.
    public var tail: SortKeys { held[held.count - 1].keys }

    /// The first sort key of the first range; 0 if that reaches the beginning of the list.
    public var first: UInt64 { held[0].keys.lowerBound }

    public var hasGaps: Bool { held.count > 1 }

    /// The gaps, ascending.
    public var gaps: [ListGap] {
        zip(held, held.dropFirst()).map {
            ListGap(id: $1.id, after: $0.keys.upperBound, before: $1.keys.lowerBound)
        }
    }

    public func contains(_ sort: UInt64) -> Bool {
        held.contains { $0.keys.contains(sort) }
    }

    /// Adds a range. One that overlaps or touches others becomes one with them.
    ///
    /// If there are too many ranges afterwards, the one farthest from the new one is removed, but never the tail.
    ///
    /// - Returns: the keys that were removed; `nil` if there are none.
    mutating func join(_ keys: SortKeys) -> SortKeys? {
        let touched = held.indices.filter {
            held[$0].keys.lowerBound <= keys.upperBound.advancedSaturating
                && keys.lowerBound <= held[$0].keys.upperBound.advancedSaturating
        }
        guard let first = touched.first, let last = touched.last else { return insert(keys) }
        let all = min(keys.lowerBound, held[first].keys.lowerBound)...max(keys.upperBound, held[last].keys.upperBound)
        held.replaceSubrange(first...last, with: [Held(keys: all, id: held[first].id)])
        return nil
    }

    private mutating func insert(_ keys: SortKeys) -> SortKeys? {
        let place = held.firstIndex { $0.keys.lowerBound > keys.upperBound } ?? held.count
        held.insert(Held(keys: keys, id: newID()), at: place)
        guard held.count > Resume.mostRanges else { return nil }
        let farthest = place < held.count / 2 ? held.count - 2 : 0
        return held.remove(at: farthest).keys
    }

    /// Keeps only the keys that are also in `kept`.
    ///
    /// Existing gaps keep their ids.
    mutating func intersect(_ kept: [SortKeys]) {
        var left: [Held] = []
        for range in held {
            var id = range.id
            for keys in kept where keys.overlaps(range.keys) {
                left.append(Held(keys: keys.clamped(to: range.keys), id: id))
                id = newID()
            }
        }
        held = left.isEmpty ? [Held(keys: (kept.last?.lowerBound ?? 0)...(.max), id: newID())] : left
    }

    /// Adapts to a list that begins later. The keys before its beginning are no gap.
    mutating func begin(at start: UInt64) {
        guard start > 0 else { return }
        while held.count > 1, held[0].keys.upperBound < start { held.removeFirst() }
        if held[0].keys.lowerBound <= start { reachBeginning() }
    }

    /// Adds the keys before the first range, where the list has no rows.
    mutating func reachBeginning() {
        held[0].keys = 0...held[0].keys.upperBound
    }

    private mutating func newID() -> Int {
        defer { nextID += 1 }
        return nextID
    }
}

/// A part of a list that a replica does not hold, between two that it holds.
public struct ListGap: Hashable, Sendable {
    /// The id of the gap for as long as it exists, also while it gets smaller.
    public let id: Int
    /// The last sort key before the gap: `after` of the page that fills it from its beginning.
    public let after: UInt64
    /// The first sort key after the gap: `before` of the page that fills it from its end.
    public let before: UInt64

    package init(id: Int, after: UInt64, before: UInt64) {
        (self.id, self.after, self.before) = (id, after, before)
    }
}

extension UInt64 {
    fileprivate var advancedSaturating: UInt64 { self == .max ? self : self + 1 }
}
