package import ChatWire

/// Which shard looks after a room, and which after a person's list of rooms.
package struct ShardMap: Sendable {
    package let count: Int
    /// Secret, so that no user can name rooms that all belong to one shard.
    private let seed: UInt64

    package init(count: Int, seed: UInt64) {
        self.count = count
        self.seed = seed
    }

    /// A room and its threads have one shard.
    package func shard(of room: RoomName) -> Int { place(of: room.ruling.description) }

    package func shard(of user: UserName) -> Int { place(of: user.description) }

    private func place(of name: String) -> Int {
        guard count > 1 else { return 0 }
        var hash = FNVHash()
        hash.mix(seed)
        hash.mix(name)
        // The lower bits of the hash depend on the lower bits of the name only.
        let mixed = UInt64(hash.value) &* 0x9E37_79B9_7F4A_7C15
        return Int(mixed >> 32 % UInt64(count))
    }
}
