import ChatWire
import WebSocketTransport

/// A frame encoded once for many readers, which all share its bytes.
struct SharedFrame: Sendable {
    /// The frame as news.
    let news: Frame
    /// The length of its text in bytes.
    let count: Int

    init(_ encoded: EncodedFrame) {
        news = Frame(text: encoded.bytes)
        count = encoded.bytes.count
    }

    /// The frame as the answer to the request `ref`.
    func answering(ref: UInt64) -> Frame {
        Frame(news, upTo: count - 1, then: EncodedFrame.end(answering: ref))
    }
}
