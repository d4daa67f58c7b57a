import JSON

/// A frame that is encoded once for many readers.
///
/// The same bytes are news to some readers and, with a `ref` added, the answer to others.
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

    /// Returns the frame as the answer to the request `ref`: `,"ref":7` is inserted before the last brace.
    ///
    /// - Complexity: O(bytes), a copy.
    public func answering(ref: UInt64) -> [UInt8] {
        var writer = JSONWriter(reopening: bytes)
        writer.number("ref", ref)
        return writer.closed()
    }

    /// The bytes that replace the last one of ``bytes`` in an answer. A frame is never an empty object, so a comma is
    /// right.
    package static func end(answering ref: UInt64) -> [UInt8] {
        Array(#","ref":\#(ref)}"#.utf8)
    }
}

extension JSONWriter {
    /// Reopens an object that was closed, for more members.
    fileprivate init(reopening object: [UInt8]) {
        self.init(capacity: object.count + 28)
        append(object.dropLast())
    }

    fileprivate consuming func closed() -> [UInt8] {
        append([UInt8(ascii: "}")])
        return bytes
    }
}
