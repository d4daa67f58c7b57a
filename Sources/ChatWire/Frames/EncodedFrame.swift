/// A frame encoded once for many readers: the same bytes are news to some and the answer to others.
///
/// - Shape: a JSON object without `ref`.
public struct EncodedFrame: Equatable, Sendable {
    /// The frame as news.
    public let bytes: [UInt8]

    init(_ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(capacity: 512)
        writer.object(nil, body)
        bytes = writer.bytes
    }

    /// The frame as the answer to the request `ref`: `,"ref":7` before the last brace.
    ///
    /// - Complexity: O(bytes), a copy.
    public func answering(ref: UInt64) -> [UInt8] {
        var writer = JSONWriter(reopening: bytes)
        writer.number("ref", ref)
        return writer.closed()
    }

    /// What stands in place of the last of ``bytes`` then: no frame is an empty object.
    package static func end(answering ref: UInt64) -> [UInt8] {
        Array(#","ref":\#(ref)}"#.utf8)
    }
}

extension JSONWriter {
    /// Goes on writing an object that was closed.
    fileprivate init(reopening object: [UInt8]) {
        self.init(capacity: object.count + 28)
        append(object.dropLast())
    }

    fileprivate consuming func closed() -> [UInt8] {
        append([UInt8(ascii: "}")])
        return bytes
    }
}
