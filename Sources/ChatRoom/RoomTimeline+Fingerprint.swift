import ChatWire

extension RoomTimeline {
    /// How many revisions apart rooms are compared with other servers'.
    static let fingerprintInterval: Revision = 64

    /// The same wherever the rows are the same: of how many there are, and all that is in the last of them.
    ///
    /// FNV-1a, 63 bits, so that a database's numbers hold it.
    var fingerprint: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        func mix(_ number: UInt64) {
            mix((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
        }
        mix(UInt64(count))
        for row in tail.suffix(ListDigest.window) {
            for number in [row.id.high, row.id.low, row.sort, row.rev] { mix(number) }
            for text in [row.author.description, row.text] + row.reactions.map(\.emoji) {
                mix(text.utf8)
                mix(0)
            }
            for user in row.reactions.flatMap(\.users) { mix(user.description.utf8) }
        }
        return hash >> 1
    }
}
