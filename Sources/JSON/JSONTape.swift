/// A valid JSON text, laid out flat: one node for each value and key, in the order of the text.
///
/// - Shape: an object's node is followed by its keys and values in turn, an array's by its values. Strings and numbers
///   stay in ``bytes`` and are decoded on demand.
/// - Complexity: made in O(bytes). It is a class, so that each ``JSONValue`` holds one reference.
/// - Source: RFC 8259; the layout is the "tape" of G. Langdale, D. Lemire, "Parsing Gigabytes of JSON per Second",
///   2019.
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
        /// The first byte of the value; of a string, the first after the quote.
        let start: Int32
        var end: Int32
        /// The node after this value and all that is in it.
        var next: Int32

        var bytes: Range<Int> { Int(start)..<Int(end) }
    }

    package let bytes: [UInt8]
    let nodes: [Node]
    /// The reason why a grammatical text is still unfit: a repeated key, or half a surrogate pair.
    package let fault: String?

    /// - Parameter limit: the most values and keys that the text may have.
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

/// The reason why bytes are not a JSON text.
package struct JSONError: Error, Equatable, Sendable {
    /// The value found and the one expected.
    package let message: String
    /// The place of the error, in bytes from the beginning.
    package let offset: Int
}
