/// A JSON text that was found right, laid out flat: one node per value and per key, in the order of the text.
///
/// - Shape: an object's node is followed by its keys and values in turn, an array's by its values; strings and numbers
///   stay in ``bytes`` and are decoded when somebody asks.
/// - Complexity: made in O(bytes); a class, so that each ``JSONValue`` of it holds one reference.
/// - Source: RFC 8259; the layout is the "tape" of G. Langdale, D. Lemire, "Parsing Gigabytes of JSON per Second", 2019.
package final class JSONTape: Sendable {
    package enum Kind: UInt8, Sendable {
        case null
        case boolean
        /// Digits only: neither sign, fraction nor exponent.
        case natural
        case number
        /// A string without `\`: its bytes stand for themselves.
        case string
        case escapedString
        case array
        case object
    }

    struct Node: Sendable {
        let kind: Kind
        /// The value's bytes; of a string, what is between the quotes.
        let start: Int32
        var end: Int32
        /// The node after this value and all that is in it.
        var next: Int32

        var bytes: Range<Int> { Int(start)..<Int(end) }
    }

    package let bytes: [UInt8]
    let nodes: [Node]
    /// What makes the text unfit although its grammar is right: a key that stands twice, half a surrogate pair.
    package let fault: String?

    /// - Parameter limit: how many values and keys there may be.
    /// - Throws: ``JSONError`` unless `bytes` are one JSON value and nothing else.
    package init(_ bytes: [UInt8], limit: Int = .max) throws(JSONError) {
        var scanner = JSONScanner(bytes, limit: limit)
        try scanner.scan()
        self.bytes = bytes
        self.nodes = scanner.nodes
        self.fault = scanner.fault
    }

    package var root: JSONValue { JSONValue(tape: self, node: 0) }
}

/// Why bytes are no JSON text.
package struct JSONError: Error, Equatable, Sendable {
    /// What was found and what would be right.
    package let message: String
    /// Where, in bytes from the beginning.
    package let offset: Int
}
