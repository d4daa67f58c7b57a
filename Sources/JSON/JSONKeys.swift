/// Finds keys that stand twice in one object. Two readers could take different values of such a key.
enum JSONKeys {
    /// The largest number of keys for which comparing all pairs is faster than hashing.
    private static let pairwise = 24
    /// The longest key that is compared in pairs, in bytes.
    private static let longest = 64

    /// - Complexity: O(bytes of the keys), even for keys that an attacker chose.
    static func firstTwice(of members: Int, in object: Int, _ nodes: [JSONTape.Node], _ bytes: [UInt8]) -> String? {
        members <= pairwise && areAllPlain(object, nodes)
            ? byPairs(object, nodes, bytes) : byHash(object, nodes, bytes)
    }

    /// Returns whether all keys are short and free of escapes, so that their bytes can be compared as they stand.
    private static func areAllPlain(_ object: Int, _ nodes: [JSONTape.Node]) -> Bool {
        let end = Int(nodes[object].next)
        var key = object + 1
        while key < end {
            guard nodes[key].kind == .string, nodes[key].end - nodes[key].start <= longest else { return false }
            key = Int(nodes[key + 1].next)
        }
        return true
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
        guard left.end - left.start == right.end - right.start else { return false }
        return !left.bytes.contains { bytes[$0] != bytes[$0 - Int(left.start) + Int(right.start)] }
    }

    private static func name(_ node: JSONTape.Node, _ bytes: [UInt8]) -> String {
        Quotation.clipped(String(decoding: JSONText.decoded(node, bytes), as: UTF8.self))
    }
}
