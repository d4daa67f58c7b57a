import Testing

@testable import ChatWire

struct PartitioningTests {
    @Test
    func itIsWhereTheSecondPartBegins() {
        for count in 0...70 {
            let list = Array(0..<count)
            for first in 0...count {
                #expect(list.partitioningIndex { $0 >= first } == first)
                #expect(list.dropFirst(count / 3).partitioningIndex { $0 >= first } == max(first, count / 3))
            }
        }
    }

    /// However long the list is.
    @Test(arguments: [0, 1, 2, 3, 100, 1_000])
    func nearTheEndFewAreLookedAt(distance: Int) {
        let list = Array(0..<1_000_000)
        var looks = 0

        let found = list.partitioningIndex { element in
            looks += 1
            return element >= list.count - distance
        }

        #expect(found == list.count - distance)
        let bits = Int.bitWidth - (distance + 1).leadingZeroBitCount
        #expect(looks <= 2 * bits)
    }
}
