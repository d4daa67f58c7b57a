/// Finds keys that stand twice in one object: two readers that each take another of the values would not agree.
enum JSONKeys {
    /// Up to so many keys, comparing all pairs is faster than hashing.
    private static let pairwise = 24

    /// - Complexity: O(members), whoever chose the keys.
    static func firstTwice(of members: Int, in object: Int, _ nodes: [JSONTape.Node], _ bytes: [UInt8]) -> String? {
        members <= pairwise ? byPairs(object, nodes, bytes) : byHash(object, nodes, bytes)
    }

    private static func byPairs(_ object: Int, _ nodes: [JSONTape.Node], _ bytes: [UInt8]) -> String? {
        let end = Int(nodes[object].next)
        var key = object + 1
        while key < end {
            var earlier = object + 1
            while earlier < key {
                if same(nodes[earlier], nodes[key], bytes) { return name(nodes[key], bytes) }
                earlier = Int(nodes[earlier + 1].next)
            }
            key = Int(nodes[key + 1].next)
        }
        return nil
    }

    private static func byHash(_ object: Int, _ nodes: [JSONTape.Node], _ bytes: [UInt8]) -> String? {
        let end = Int(nodes[object].next)
        var seen: Set<[UInt8]> = []
        var key = object + 1
        while key < end {
            guard seen.insert(JSONText.decoded(nodes[key], bytes)).inserted else { return name(nodes[key], bytes) }
            key = Int(nodes[key + 1].next)
        }
        return nil
    }

    private static func same(_ left: JSONTape.Node, _ right: JSONTape.Node, _ bytes: [UInt8]) -> Bool {
        if left.kind == .string, right.kind == .string {
            guard left.end - left.start == right.end - right.start else { return false }
            return !left.bytes.contains { bytes[$0] != bytes[$0 - Int(left.start) + Int(right.start)] }
        }
        return JSONText.decoded(left, bytes) == JSONText.decoded(right, bytes)
    }

    private static func name(_ node: JSONTape.Node, _ bytes: [UInt8]) -> String {
        Quotation.clipped(String(decoding: JSONText.decoded(node, bytes), as: UTF8.self))
    }
}
