import ChatWire

extension RoomTimeline {
    /// The number of revisions between two comparisons with other servers.
    static let fingerprintInterval: Revision = 64

    /// A hash of the number of rows and of the whole content of the last ones: equal rows give an equal fingerprint.
    ///
    /// It is FNV-1a in 63 bits, so that a database's integers hold it.
    var fingerprint: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        func mix(_ number: UInt64) {
            mix((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
        }
        mix(UInt64(truncatingIfNeeded: count))  // below zero if the store's count was wrong
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
