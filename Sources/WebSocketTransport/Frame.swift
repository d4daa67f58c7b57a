internal import CChatSocket

/// One text message, framed once, that any number of connections and logs share.
///
/// - Complexity: O(*n*) to make, O(1) to send. Only a log that it is appended to copies it again, once.
package final class Frame: @unchecked Sendable {
    // @unchecked: the C frame never changes after it is made, and its reference count is atomic.
    let raw: OpaquePointer

    /// - Parameter since: the time at which its content came to be. The time from there to the readers of the log that
    ///   the frame is appended to is measured.
    package init(text: [UInt8], since: Moment? = nil) {
        guard let frame = text.withUnsafeBufferPointer({ chatsock_frame_text($0.baseAddress, $0.count) }) else {
            preconditionFailure("out of memory for a frame of \(text.count) bytes")
        }
        if let since { chatsock_frame_stamp(frame, since.nanoseconds) }
        raw = frame
    }

    /// Makes a frame of the first `count` bytes of another frame's text, which are shared unless they are few, and
    /// `end`.
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

    /// The size on the wire in bytes, with the frame's header.
    package var byteCount: Int { chatsock_frame_size(raw) }
}

/// A time on the transport's clock, which is monotonic.
package struct Moment: Sendable {
    let nanoseconds: UInt64

    package static var now: Moment { Moment(nanoseconds: chatsock_clock()) }
}
