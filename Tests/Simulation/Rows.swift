import ChatWire

/// The rows of one state of a room. A state shares most of them with the one before it, however many there are.
///
/// - Complexity: a change costs O(``most`` + rows / ``most``), a copy O(1), an access O(log rows).
struct Rows: RandomAccessCollection {
    /// The most rows that are copied to change one.
    private static let most = 256

    /// None is empty.
    private var chunks: [[Message]] = []
    /// The index of each chunk's first row.
    private var starts: [Int] = []
    private(set) var count = 0

    let startIndex = 0
    var endIndex: Int { count }

    subscript(index: Int) -> Message {
        get {
            let chunk = chunk(of: index)
            return chunks[chunk][index - starts[chunk]]
        }
        set {
            let chunk = chunk(of: index)
            chunks[chunk][index - starts[chunk]] = newValue
        }
    }

    func makeIterator() -> FlattenSequence<[[Message]]>.Iterator { chunks.joined().makeIterator() }

    mutating func append(_ row: Message) {
        if let last = chunks.indices.last, chunks[last].count < Self.most {
            chunks[last].append(row)
        } else {
            chunks.append([row])
            starts.append(count)
        }
        count += 1
    }

    mutating func remove(at index: Int) {
        let chunk = chunk(of: index)
        chunks[chunk].remove(at: index - starts[chunk])
        count -= 1
        for later in starts.indices.dropFirst(chunk + 1) { starts[later] -= 1 }
        guard chunks[chunk].isEmpty else { return }
        chunks.remove(at: chunk)
        starts.remove(at: chunk)
    }

    mutating func removeFirst(_ number: Int) {
        var rest = Rows()
        for row in dropFirst(number) { rest.append(row) }
        self = rest
    }

    private func chunk(of index: Int) -> Int {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if starts[middle] <= index { low = middle } else { high = middle }
        }
        return low
    }
}
