package import ChatWire

/// The limits of files, in bytes.
package struct FileLimits: Equatable, Sendable {
    /// One file.
    package var file = 100 << 20
    /// All files of one person; 0 for no limit.
    package var user = 1 << 30
    /// All files of one room; 0 for no limit.
    package var room = 10 << 30

    package init() {}
}

/// The bytes that each person and each room has in files. A file counts from its first byte on with its whole size.
package struct FileUsage: Sendable {
    package enum Owner: Hashable, Sendable {
        case user(UserName)
        case room(RoomName)
    }

    private var bytes: [Owner: Int] = [:]

    package init() {}

    package mutating func add(_ stored: StoredFile) {
        for owner in Self.owners(of: stored) { bytes[owner, default: 0] += stored.file.size }
    }

    package mutating func remove(_ stored: StoredFile) {
        for owner in Self.owners(of: stored) {
            // Files that were there before the first count are not in it.
            let left = (bytes[owner] ?? 0) - stored.file.size
            bytes[owner] = left > 0 ? left : nil
        }
    }

    /// Why one more file may not come; `nil` if it may.
    package func refusal(of stored: StoredFile, _ limits: FileLimits) -> FileRefusal? {
        for (owner, most) in zip(Self.owners(of: stored), [limits.user, limits.room])
        where most > 0 && (bytes[owner] ?? 0) + stored.file.size > most {
            return .tooMuch(owner, most: most)
        }
        return nil
    }

    private static func owners(of stored: StoredFile) -> [Owner] { [.user(stored.user), .room(stored.place.room)] }
}
