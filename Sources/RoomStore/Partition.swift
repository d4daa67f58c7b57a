package import ChatWire

/// The division of all rooms, and of all people's profiles, among a number of stores.
///
/// Each name belongs for good to one of a fixed number of logical shards. Each store has a range of the shards.
package struct Partition: Equatable, Sendable {
    /// The number of logical shards: more than there will be databases. A database that is added takes over whole
    /// shards.
    package static let shards: UInt64 = 1_024

    /// The number of stores.
    package let parts: Int

    package init(parts: Int) {
        precondition((1...Int(Self.shards)).contains(parts), "\(parts) stores")
        self.parts = parts
    }

    /// Returns the logical shard of a room's or a person's name, which is the same on every server and for good.
    package static func shard(of name: String) -> UInt64 {
        fingerprint(name) % shards
    }

    /// Returns the index of the store that has a name.
    package func part(of name: String) -> Int {
        Int(Self.shard(of: name)) * parts / Int(Self.shards)
    }

    /// Returns the index of the store that has a room and its threads.
    package func part(of room: RoomName) -> Int { part(of: room.ruling.description) }
    package func part(of user: UserName) -> Int { part(of: user.description) }

    /// Returns the shards of a store.
    package func shards(of part: Int) -> Range<UInt64> {
        start(of: part)..<start(of: part + 1)
    }

    private func start(of part: Int) -> UInt64 {
        (UInt64(part) * Self.shards + UInt64(parts) - 1) / UInt64(parts)
    }
}

/// Returns the FNV-1a hash of a text. It is the same in every process, and Swift's own hash is not.
package func fingerprint(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
