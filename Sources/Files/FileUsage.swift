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

/// The bytes that each person and each room has in files. An upload that is under way counts with its whole size.
package struct FileUsage: Sendable {
    package enum Owner: Hashable, Sendable {
        case user(UserName)
        case room(RoomName)
    }

    private var bytes: [Owner: Int] = [:]

    package init() {}

    var isEmpty: Bool { bytes.isEmpty }

    /// Adds bytes of a file, or takes them away.
    mutating func add(_ more: Int, to stored: StoredFile) {
        for owner in Self.owners(of: stored) {
            let sum = (bytes[owner] ?? 0) + more
            bytes[owner] = sum == 0 ? nil : sum
        }
    }

    func adding(_ other: FileUsage) -> FileUsage {
        var sum = self
        sum.bytes.merge(other.bytes, uniquingKeysWith: +)
        return sum
    }

    /// Why so many bytes more may not come; `nil` if they may.
    func refusal(of stored: StoredFile, _ more: Int, _ limits: FileLimits) -> FileRefusal? {
        for (owner, most) in zip(Self.owners(of: stored), [limits.user, limits.room])
        where most > 0 && (bytes[owner] ?? 0) + more > most {
            return .tooMuch(owner, most: most)
        }
        return nil
    }

    private static func owners(of stored: StoredFile) -> [Owner] { [.user(stored.user), .room(stored.place.room)] }
}
