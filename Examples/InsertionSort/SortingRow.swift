/// Bars of one length are still different bars, so the identifier is the bar's number.
struct Bar: Hashable, Sendable {
    var number: Int
    var length: Int
}

/// Bars that are sorted by insertion, one step at a time.
struct SortingRow {
    private(set) var bars: [Bar]
    private var sorted = 1

    init(_ lengths: [Int], from first: Int) {
        bars = lengths.enumerated().map { Bar(number: first + $0.offset, length: $0.element) }
    }

    var isSorted: Bool { sorted >= bars.count }

    /// Moves the next bar to its place among those before it.
    mutating func step() {
        let bar = bars.remove(at: sorted)
        bars.insert(bar, at: bars[..<sorted].firstIndex { $0.length > bar.length } ?? sorted)
        sorted += 1
    }
}
