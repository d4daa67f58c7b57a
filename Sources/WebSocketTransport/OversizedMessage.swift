internal import CChatSocket

/// What is left of a text message that was too long to be taken.
package struct OversizedMessage: Equatable, Sendable {
    /// Its first 256 bytes; nobody has checked that they are UTF-8.
    package let start: [UInt8]
    /// Its last 256 bytes, or as many as come after those.
    package let end: [UInt8]
    /// Of all of it, in bytes.
    package let size: Int

    init(_ raw: chatsock_oversized) {
        start = Array(UnsafeBufferPointer(start: raw.start, count: raw.start_count))
        end = Array(UnsafeBufferPointer(start: raw.end, count: raw.end_count))
        size = raw.size
    }
}
