internal import CSignature
package import ChatWire

extension RoomName {
    /// The name of a new room.
    package init(of new: NewRoom, by author: UserName, _ command: CommandID) {
        switch new {
        case .open(let name, _): self = name
        case .private: self.init(privateRoomOf: command)
        case .direct(let people): self.init(directRoomOf: people + [author])
        }
    }

    /// The name of the direct room of some people, in any order.
    package init(directRoomOf people: [UserName]) {
        let names = people.sorted().map { Array($0.description.utf8) }
        self.init(directRoomOf: UniqueID(startOfSHA256: Array(names.joined(separator: [0x0A]))))
    }
}

extension UniqueID {
    /// The first 16 bytes of a message's SHA-256.
    package init(startOfSHA256 message: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: Int(CSIGNATURE_SHA256_BYTES))
        let isMade = csignature_sha256(message, message.count, &digest)
        precondition(isMade, "OpenSSL has no memory for the digest of \(message.count) bytes")
        func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: half(digest[..<8]), low: half(digest[8..<16]))
    }
}
