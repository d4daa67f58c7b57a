import ChatWire

/// Decodes frames, and decodes a frame only once if many readers receive exactly the same bytes.
///
/// So the load costs less than the server on the machine that they share, and each reader still has a replica.
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

    /// Returns the slot of a frame. Diffs of different rooms and revisions differ near both ends.
    private static func slot(of bytes: [UInt8]) -> Int {
        var hash: UInt32 = 2_166_136_261
        for byte in bytes.prefix(80) { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        for byte in bytes.suffix(40) { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int(hash) % slotCount
    }
}
