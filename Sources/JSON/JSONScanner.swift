/// Reads a JSON text from left to right and writes its ``JSONTape``.
///
/// The scanner is strict. It takes no overlong UTF-8, no surrogates, no control characters in strings, and nothing
/// after the value. It takes at most ``depthLimit`` containers inside each other, and at most as many values as its
/// caller allows.
struct JSONScanner {
    static let depthLimit = 32

    let bytes: [UInt8]
    var position = 0
    private(set) var nodes: [JSONTape.Node] = []
    private(set) var fault: String?
    private var depth = 0
    /// The most values and keys that the text may have.
    private let limit: Int

    init(_ bytes: [UInt8], limit: Int) {
        self.bytes = bytes
        self.limit = limit
        nodes.reserveCapacity(min(24, 1 + bytes.count / 4))
    }

    mutating func scan() throws(JSONError) {
        guard bytes.count < Int32.max else { throw JSONError(message: "too long", offset: 0) }
        try value()
        skipSpace()
        guard position == bytes.count else { throw unexpected("the end") }
    }

    /// The current byte; 0 at the end of the text, which no grammar rule accepts.
    var current: UInt8 {
        position < bytes.count ? bytes[position] : 0
    }

    private mutating func value() throws(JSONError) {
        guard nodes.count < limit else {
            throw JSONError(message: "more than \(limit) values and keys", offset: position)
        }
        skipSpace()
        switch current {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "{"): try object()
        case UInt8(ascii: "["): try array()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        case UInt8(ascii: "t"): try word("true", .boolean)
        case UInt8(ascii: "f"): try word("false", .boolean)
        case UInt8(ascii: "n"): try word("null", .null)
        default: throw unexpected("a value")
        }
    }

    private mutating func object() throws(JSONError) {
        let node = try open(.object)
        var members = 0
        if current != UInt8(ascii: "}") {
            repeat {
                skipSpace()
                guard current == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
                try string()
                skipSpace()
                guard consume(UInt8(ascii: ":")) else { throw unexpected("':' after a key") }
                try value()
                skipSpace()
                members += 1
            } while consume(UInt8(ascii: ","))
        }
        guard consume(UInt8(ascii: "}")) else { throw unexpected("',' or '}'") }
        close(node)
        if let key = JSONKeys.firstTwice(of: members, in: node, nodes, bytes) {
            note("'\(key)' stands twice in one object")
        }
    }

    private mutating func array() throws(JSONError) {
        let node = try open(.array)
        if current != UInt8(ascii: "]") {
            repeat {
                try value()
                skipSpace()
            } while consume(UInt8(ascii: ","))
        }
        guard consume(UInt8(ascii: "]")) else { throw unexpected("',' or ']'") }
        close(node)
    }

    private mutating func open(_ kind: JSONTape.Kind) throws(JSONError) -> Int {
        guard depth < Self.depthLimit else {
            throw JSONError(message: "nested deeper than \(Self.depthLimit)", offset: position)
        }
        depth += 1
        let node = nodes.count
        append(kind, position..<position)
        position += 1
        skipSpace()
        return node
    }

    private mutating func close(_ node: Int) {
        depth -= 1
        nodes[node].end = Int32(position)
        nodes[node].next = Int32(nodes.count)
    }

    private mutating func number() throws(JSONError) {
        let start = position
        var kind = JSONTape.Kind.natural
        if consume(UInt8(ascii: "-")) { kind = .number }
        if !consume(UInt8(ascii: "0")) { try digits() }
        if consume(UInt8(ascii: ".")) {
            kind = .number
            try digits()
        }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            kind = .number
            if !consume(UInt8(ascii: "-")) { _ = consume(UInt8(ascii: "+")) }
            try digits()
        }
        append(kind, start..<position)
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(current) { position += 1 }
        guard position > start else { throw unexpected("a digit") }
    }

    private mutating func word(_ word: String, _ kind: JSONTape.Kind) throws(JSONError) {
        let start = position
        for byte in word.utf8 {
            guard consume(byte) else { throw unexpected("'\(word)'") }
        }
        append(kind, start..<position)
    }

    mutating func consume(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while current == 0x20 || current == 0x0A || current == 0x0D || current == 0x09 { position += 1 }
    }

    mutating func append(_ kind: JSONTape.Kind, _ range: Range<Int>) {
        nodes.append(
            JSONTape.Node(
                kind: kind, start: Int32(range.lowerBound), end: Int32(range.upperBound), next: Int32(nodes.count + 1)))
    }

    /// Keeps the first fault: the others likely follow from it.
    mutating func note(_ fault: String) {
        if self.fault == nil { self.fault = fault }
    }

    func unexpected(_ expected: String) -> JSONError {
        let found =
            switch position < bytes.count ? bytes[position] : nil {
            case nil: "the end"
            case .some(let byte) where (0x21...0x7E).contains(byte): "'\(Character(Unicode.Scalar(byte)))'"
            case .some(let byte): "byte 0x" + String(byte, radix: 16)
            }
        return JSONError(message: "found \(found), must be \(expected)", offset: position)
    }
}
