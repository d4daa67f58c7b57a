internal import CChatSocket

/// The edges of a text message that was too long to be received.
package struct OversizedMessage: Equatable, Sendable {
    /// The first 256 bytes. They were not checked for UTF-8.
    package let start: [UInt8]
    /// The last 256 bytes, or fewer when fewer come after the first ones.
    package let end: [UInt8]
    /// The size of the whole message in bytes.
    package let size: Int

    init(_ raw: chatsock_oversized) {
        start = Array(UnsafeBufferPointer(start: raw.start, count: raw.start_count))
        end = Array(UnsafeBufferPointer(start: raw.end, count: raw.end_count))
        size = raw.size
    }
}
