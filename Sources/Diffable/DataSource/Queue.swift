/// Elements that leave in the order in which they came.
///
/// - Complexity: every operation O(1) amortised, however many wait.
@usableFromInline
struct Queue<Element> {
    /// The elements that have left are nil, so that nothing keeps them alive.
    private var places: ContiguousArray<Element?> = []
    private var head = 0

    @usableFromInline
    init() {}

    @usableFromInline var count: Int { places.count - head }

    @usableFromInline var isEmpty: Bool { count == 0 }

    /// The element that leaves next.
    var first: Element? { isEmpty ? nil : places[head] }

    /// Changes the element with `place` elements before it.
    mutating func change(_ place: Int, _ body: (inout Element) -> Void) {
        guard var element = places[head + place] else { return }
        places[head + place] = nil
        body(&element)
        places[head + place] = element
    }

    @usableFromInline
    mutating func append(_ element: Element) {
        places.append(element)
    }

    @usableFromInline
    mutating func popFirst() -> Element? {
        if isEmpty { return nil }
        let element = places[head]
        places[head] = nil
        head += 1
        if head == places.count {
            places.removeAll(keepingCapacity: head < 64)
            head = 0
        } else if head >= 64, head * 2 > places.count {
            places.removeSubrange(..<head)
            head = 0
        }
        return element
    }
}
