import ChatWire

/// A value for a statement, in the protocol's binary format.
struct Parameter {
    /// The value's bytes; `nil` is NULL.
    let bytes: [UInt8]?

    static let null = Parameter(bytes: nil)

    static func integer(_ value: Int64) -> Parameter {
        Parameter(bytes: bigEndian(value))
    }

    /// Returns a revision's parameter. Values from 2⁶³ on become 2⁶³ − 1, which no revision reaches.
    static func revision(_ value: Revision) -> Parameter {
        integer(Int64(clamping: value))
    }

    static func text(_ value: String) -> Parameter {
        Parameter(bytes: Array(value.utf8))
    }

    static func id(_ value: UniqueID) -> Parameter {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: value.high)
        bytes.append(bigEndian: value.low)
        return Parameter(bytes: bytes)
    }

    // MARK: - Arrays

    static func integers(_ values: [Int64?]) -> Parameter {
        array(of: 20, values) { $0.append(bigEndian: $1) }
    }

    static func revisions(_ values: [Revision]) -> Parameter {
        integers(values.map { Int64(clamping: $0) })
    }

    static func texts(_ values: [String?]) -> Parameter {
        array(of: 25, values) { $0 += $1.utf8 }
    }

    static func bytes(_ values: [[UInt8]?]) -> Parameter {
        array(of: 17, values) { $0 += $1 }
    }

    static func ids(_ values: [UniqueID?]) -> Parameter {
        array(of: 2950, values) { bytes, id in
            bytes.append(bigEndian: id.high)
            bytes.append(bigEndian: id.low)
        }
    }

    /// - Parameter type: the element type's number in the catalogue, which is fixed for built-in types.
    private static func array<Value>(
        of type: Int32, _ values: [Value?], _ append: (inout [UInt8], Value) -> Void
    ) -> Parameter {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + 24 * values.count)
        let dimensions: Int32 = values.isEmpty ? 0 : 1
        let hasNull: Int32 = values.contains { $0 == nil } ? 1 : 0
        for word in [dimensions, hasNull, type] { bytes.append(bigEndian: word) }
        guard !values.isEmpty else { return Parameter(bytes: bytes) }
        for word in [Int32(values.count), 1] { bytes.append(bigEndian: word) }
        for value in values {
            let start = bytes.count
            bytes.append(bigEndian: Int32(-1))
            guard let value else { continue }
            append(&bytes, value)
            bytes.replaceSubrange(start..<start + 4, with: bigEndian(Int32(bytes.count - start - 4)))
        }
        return Parameter(bytes: bytes)
    }
}

private func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
