internal import CChatSocket

/// One text message, framed once, that any number of connections and logs share.
///
/// - Complexity: O(*n*) to make, O(1) to send: nobody copies it again, except once into each log it is appended to.
package final class Frame: @unchecked Sendable {
    // @unchecked: the C frame never changes after it is made, and its reference count is atomic.
    let raw: OpaquePointer

    /// - Parameter since: when what it tells of became so; how long it takes from there to the readers of the log that
    ///   it is appended to is counted.
    package init(text: [UInt8], since: Moment? = nil) {
        guard let frame = text.withUnsafeBufferPointer({ chatsock_frame_text($0.baseAddress, $0.count) }) else {
            preconditionFailure("out of memory for a frame of \(text.count) bytes")
        }
        if let since { chatsock_frame_stamp(frame, since.nanoseconds) }
        raw = frame
    }

    /// What another one says in its first `count` bytes, which are shared unless they are few, and then `end`.
    ///
    /// - Complexity: O(`end`).
    package init(_ whole: Frame, upTo count: Int, then end: [UInt8]) {
        let frame = end.withUnsafeBufferPointer { end in
            end.baseAddress.flatMap { chatsock_frame_ending(whole.raw, count, $0, end.count) }
        }
        guard let frame else { preconditionFailure("out of memory for a frame of \(count) bytes and \(end.count)") }
        raw = frame
    }

    deinit {
        chatsock_frame_release(raw)
    }

    /// A copy of the text.
    package var text: [UInt8] {
        let count = chatsock_frame_text_size(raw)
        return Array(unsafeUninitializedCapacity: count) { buffer, filled in
            if let start = buffer.baseAddress { chatsock_frame_copy_text(raw, start) }
            filled = count
        }
    }

    /// Bytes on the wire, the frame's header included.
    package var byteCount: Int { chatsock_frame_size(raw) }
}

/// A reading of the transport's clock, which never goes back.
package struct Moment: Sendable {
    let nanoseconds: UInt64

    package static var now: Moment { Moment(nanoseconds: chatsock_clock()) }
}
