import ChatWire

/// Reads frames, and reads those once that come to many readers: the bytes must be the same, all of them.
///
/// So the load costs less than the server does on the machine they share, and every reader has its replica all the same.
struct FrameCache {
    private static let slotCount = 1_024
    private var slots: [(bytes: [UInt8], frame: ServerFrame)?] = Array(repeating: nil, count: slotCount)

    mutating func frame(_ bytes: [UInt8]) throws(FrameError) -> ServerFrame {
        let slot = Self.slot(of: bytes)
        if let known = slots[slot], known.bytes == bytes { return known.frame }
        let frame = try ServerFrame(json: bytes)
        slots[slot] = (bytes, frame)
        return frame
    }

    /// Diffs of different rooms and revisions differ near both ends.
    private static func slot(of bytes: [UInt8]) -> Int {
        var hash: UInt32 = 2_166_136_261
        for byte in bytes.prefix(80) { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        for byte in bytes.suffix(40) { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int(hash) % slotCount
    }
}
