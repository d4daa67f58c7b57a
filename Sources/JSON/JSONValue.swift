/// One value of a ``JSONTape``.
package struct JSONValue: Sendable {
    /// The bound that integers stay below: every language's numbers hold these exactly.
    package static let integerLimit: UInt64 = 1 << 53

    package let tape: JSONTape
    let node: Int

    package var kind: JSONTape.Kind { tape.nodes[node].kind }

    /// The string; `nil` for another kind.
    package var string: String? {
        let place = tape.nodes[node]
        switch place.kind {
        case .string: return String(decoding: tape.bytes[place.bytes], as: UTF8.self)
        case .escapedString: return String(decoding: JSONText.decoded(place, tape.bytes), as: UTF8.self)
        default: return nil
        }
    }

    /// The integer; `nil` for another kind, or if it is not below ``integerLimit``.
    package var natural: UInt64? {
        let place = tape.nodes[node]
        guard place.kind == .natural, place.end - place.start <= 16 else { return nil }
        var number: UInt64 = 0
        for byte in tape.bytes[place.bytes] { number = number * 10 + UInt64(byte - UInt8(ascii: "0")) }
        return number < Self.integerLimit ? number : nil
    }

    package var boolean: Bool? {
        kind == .boolean ? tape.bytes[tape.nodes[node].bytes.lowerBound] == UInt8(ascii: "t") : nil
    }

    /// The bytes of a string without escapes, as they stand in the text.
    package var plainBytes: ArraySlice<UInt8>? {
        kind == .string ? tape.bytes[tape.nodes[node].bytes] : nil
    }

    /// The values of an array; `nil` for another kind.
    package var elements: [JSONValue]? {
        guard kind == .array else { return nil }
        var elements: [JSONValue] = []
        let end = Int(tape.nodes[node].next)
        var element = node + 1
        while element < end {
            elements.append(JSONValue(tape: tape, node: element))
            element = Int(tape.nodes[element].next)
        }
        return elements
    }

    /// The value at `key` of an object, or `nil` if there is none.
    ///
    /// - Complexity: O(members).
    package subscript(key: String) -> JSONValue? {
        guard kind == .object else { return nil }
        let end = Int(tape.nodes[node].next)
        var member = node + 1
        while member < end {
            if tape.isKey(member, key) { return JSONValue(tape: tape, node: member + 1) }
            member = Int(tape.nodes[member + 1].next)
        }
        return nil
    }

    /// The keys of an object's members that are arrays, in their order; none if the value is not an object.
    package var arrayKeys: [String] {
        guard kind == .object else { return [] }
        var keys: [String] = []
        let end = Int(tape.nodes[node].next)
        var member = node + 1
        while member < end {
            if tape.nodes[member + 1].kind == .array {
                keys.append(JSONValue(tape: tape, node: member).string ?? "")
            }
            member = Int(tape.nodes[member + 1].next)
        }
        return keys
    }

    /// The kind with its article, for a person to read.
    package var article: String {
        switch kind {
        case .null: "null"
        case .boolean: "a boolean"
        case .natural, .number: "a number"
        case .string, .escapedString: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The value as it stands in the text.
    package var source: String { String(decoding: sourceBytes, as: UTF8.self) }

    package var sourceBytes: ArraySlice<UInt8> { tape.bytes[tape.nodes[node].bytes] }

    /// True for `{}`.
    package var hasNoMembers: Bool { kind == .object && Int(tape.nodes[node].next) == node + 1 }

    /// Returns whether the value has at most `depth` objects and arrays inside each other, itself included.
    ///
    /// - Complexity: O(values in it).
    package func isNested(within depth: Int) -> Bool {
        var ends: [Int32] = []
        for node in node..<Int(tape.nodes[node].next) {
            while let end = ends.last, end <= node { ends.removeLast() }
            guard [.array, .object].contains(tape.nodes[node].kind) else { continue }
            ends.append(tape.nodes[node].next)
            if ends.count > depth { return false }
        }
        return true
    }
}

extension JSONTape {
    fileprivate func isKey(_ node: Int, _ key: String) -> Bool {
        let place = nodes[node]
        guard place.kind == .string else {
            // An escape is at most six bytes for one, so a longer key is another one.
            guard place.bytes.count <= 6 * key.utf8.count else { return false }
            return JSONText.decoded(place, bytes).elementsEqual(key.utf8)
        }
        guard place.bytes.count == key.utf8.count else { return false }
        var index = place.bytes.lowerBound
        for byte in key.utf8 {
            guard bytes[index] == byte else { return false }
            index += 1
        }
        return true
    }
}
