package import ChatWire

/// A returning reader's request to the store: the changes of the rows that it holds.
package struct HeldQuery: Equatable, Sendable {
    /// The reader's revision.
    package let since: Revision
    /// The sort keys that the reader holds; `nil` if it may hold any row up to its revision.
    package let ranges: [SortKeys]?
    /// The sort key that the reader looks at.
    package let at: UInt64?
    /// The greatest number of changes.
    package let mostChanges: Int
    /// The greatest number of rows, changed or not, that are looked at.
    package let mostRows: Int

    package init(since: Revision, ranges: [SortKeys]?, at: UInt64?, mostChanges: Int, mostRows: Int) {
        self.since = since
        self.ranges = ranges
        self.at = at
        self.mostChanges = mostChanges
        self.mostRows = mostRows
    }

    init(_ resume: Resume, _ limits: WireLimits) {
        self.init(
            since: resume.revision, ranges: resume.ranges, at: resume.at, mostChanges: 2 * limits.rows,
            mostRows: (resume.ranges == nil ? 4 : 20) * limits.rows)
    }

    /// The ranges to read, the most important first.
    ///
    /// The last key comes first, because a reader must hold the end of the list. The keys around the row that the
    /// reader looks at follow, downwards and then upwards, and then the other keys from the end downwards.
    package var parts: [Part] {
        var ranges = ranges ?? [0...since]
        var parts: [Part] = []
        if let last = ranges.popLast(), last.lowerBound < last.upperBound {
            ranges.append(last.lowerBound...last.upperBound - 1)
        }
        for keys in ranges.reversed() {
            guard let at, keys.contains(at) else {
                parts.append(Part(keys: keys, direction: .down))
                continue
            }
            if at < keys.upperBound { parts.insert(Part(keys: at + 1...keys.upperBound, direction: .up), at: 0) }
            parts.insert(Part(keys: keys.lowerBound...at, direction: .down), at: 0)
        }
        return [Part(keys: since...since, direction: .down)] + parts
    }

    /// Sort keys in the order in which they are worth reading.
    package struct Part: Equatable, Sendable {
        package let keys: SortKeys
        package let direction: Direction

        package enum Direction: Sendable {
            /// From the smallest key.
            case up
            /// From the largest key.
            case down
        }

        /// The keys up to and including one, in the part's direction.
        package func keys(through sort: UInt64) -> SortKeys {
            switch direction {
            case .up: keys.lowerBound...sort
            case .down: sort...keys.upperBound
            }
        }

        /// The keys before one, in the part's direction; `nil` if there are none.
        package func keys(before sort: UInt64) -> SortKeys? {
            switch direction {
            case .up: keys.lowerBound < sort ? keys.lowerBound...sort - 1 : nil
            case .down: sort < keys.upperBound ? sort + 1...keys.upperBound : nil
            }
        }
    }
}

/// The rows that a returning reader holds, as of ``revision``, as far as the store knows them.
package struct HeldReading: Equatable, Sendable {
    package let revision: Revision
    /// The ranges that were read, ascending and not touching each other. A part of what the reader holds is missing if
    /// too much changed in it, or if the store does not remember its deletions.
    package let ranges: [SortKeys]
    /// The rows in ``ranges``, ascending by sort key.
    package let rows: [RowStamp]
    /// The changes in ``ranges`` since the reader's revision, in no order.
    package let changes: [RoomChange]

    /// A reading without ranges.
    static func nothing(at revision: Revision) -> HeldReading {
        HeldReading(revision: revision, ranges: [], rows: [], changes: [])
    }

    package init(revision: Revision, ranges: [SortKeys], rows: [RowStamp], changes: [RoomChange]) {
        self.revision = revision
        self.ranges = ranges.joined
        self.rows = rows
        self.changes = changes
    }
}

extension [SortKeys] {
    /// The ranges, ascending, with touching ranges joined.
    fileprivate var joined: [SortKeys] {
        sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, keys in
            if let last = joined.last, last.upperBound + 1 >= keys.lowerBound {
                joined[joined.count - 1] = last.lowerBound...Swift.max(last.upperBound, keys.upperBound)
            } else {
                joined.append(keys)
            }
        }
    }
}
