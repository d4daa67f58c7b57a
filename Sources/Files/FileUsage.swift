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

/// The bytes that each person and each room, with its threads, has in files. An upload that is under way counts with its whole size.
package struct FileUsage: Sendable {
    package enum Owner: Hashable, Sendable {
        case user(UserName)
        case room(RoomName)
    }

    private var bytes: [Owner: Int] = [:]

    package init() {}

    var isEmpty: Bool { bytes.isEmpty }

    /// Adds bytes of a file, or takes them away.
    mutating func add(_ more: Int, of user: UserName, in room: RoomName) {
        for owner in [.user(user), .room(room.ruling)] as [Owner] {
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
        let owners: [(Owner, Int)] = [
            (.user(stored.user), limits.user), (.room(stored.place.room.ruling), limits.room),
        ]
        for (owner, most) in owners where most > 0 && (bytes[owner] ?? 0) + more > most {
            return .tooMuch(owner, most: most)
        }
        return nil
    }
}

/// Why an upload may not go on.
package enum FileRefusal: Error, Equatable {
    /// Another request writes the file.
    case isWritten
    /// It goes on at another byte.
    case otherOffset(Int)
    /// The bytes have this checksum.
    case otherChecksum(String)
    /// Its message was deleted meanwhile.
    case isGone
    /// The store has no such object.
    case isMissing
    /// The person has too many uploads that were allowed and are not confirmed, or all people together have.
    case tooManyUploads
    /// The person's files, or those of the room, would have more bytes than they may.
    case tooMuch(FileUsage.Owner, most: Int)
}
