import ChatWire

/// The lists without readers, in the order in which the last one left. They are kept for a while, so that a reader whose
/// connection was cut gets a diff.
struct RestingLists<Owner> {
    private struct Rest {
        let owner: Owner
        let number: UInt64
        var rows: Int
        let end: Duration
    }

    private var lists: ArraySlice<Rest> = []
    private var rows = 0
    private var last: UInt64 = 0

    var oldest: Owner? { lists.first?.owner }

    /// The time at which the oldest goes; `nil` if there are none.
    var end: Duration? { lists.first?.end }

    /// - Returns: the rest's number.
    mutating func add(_ owner: Owner, rows: Int, until end: Duration) -> UInt64 {
        last += 1
        lists.append(Rest(owner: owner, number: last, rows: rows, end: end))
        self.rows += rows
        return last
    }

    mutating func remove(_ number: UInt64) {
        rows -= lists.remove(at: index(of: number)).rows
    }

    /// A list has become longer or shorter while it rests.
    mutating func resize(_ number: UInt64, by rows: Int) {
        lists[index(of: number)].rows += rows
        self.rows += rows
    }

    /// Returns whether there are more lists, or more rows in them, than are to be kept.
    func exceeds(lists most: Int, rows mostRows: Int) -> Bool {
        !lists.isEmpty && (lists.count > most || rows > mostRows)
    }

    /// - Complexity: O(log lists).
    private func index(of number: UInt64) -> Int { lists.partitioningIndex { $0.number >= number } }
}
