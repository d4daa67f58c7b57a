extension JSONValue {
    /// The members of an object in their order, repeated keys included; none if the value is not an object.
    ///
    /// - Shape: `line` is the key's, from 1.
    /// - Complexity: O(bytes of the text).
    package var members: [(key: String, line: Int, value: JSONValue)] {
        guard kind == .object else { return [] }
        var members: [(key: String, line: Int, value: JSONValue)] = []
        let end = Int(tape.nodes[node].next)
        var (member, line, counted) = (node + 1, 1, 0)
        while member < end {
            let start = tape.nodes[member].bytes.lowerBound
            line += tape.bytes.lines(in: counted..<start)
            counted = start
            members.append(
                (JSONValue(tape: tape, node: member).string ?? "", line, JSONValue(tape: tape, node: member + 1)))
            member = Int(tape.nodes[member + 1].next)
        }
        return members
    }
}

extension JSONError {
    /// Returns the line of `bytes` that the error is on, from 1.
    package func line(in bytes: [UInt8]) -> Int {
        1 + bytes.lines(in: 0..<min(offset, bytes.count))
    }
}

extension [UInt8] {
    fileprivate func lines(in range: Range<Int>) -> Int {
        self[range].count { $0 == UInt8(ascii: "\n") }
    }
}
