import ChatWire

/// One pass over the objects of a bucket: gathers those of each message, as their keys come one after the other.
struct BucketSweep {
    /// The files that were found and stay.
    var found: [StoredFile.Place: (user: UserName, bytes: Int)] = [:]
    private var current: Message?

    /// The two objects of a file.
    enum Form {
        case bytes
        case lost
    }

    struct Message {
        let room: RoomName
        let id: MessageID
        var files: [FileID: File] = [:]
    }

    struct File: Equatable {
        /// `nil` for a file that has only the mark.
        var size: Int?
        var changed: Milliseconds?
        var lostSince: Milliseconds?
    }

    enum Step {
        case keep
        /// Notes that no message has the file.
        case mark
        /// Removes that note.
        case unmark
        case remove
    }

    /// - Returns: the message before, if this object is of another one.
    mutating func handle(_ object: BucketListing.Object, at place: StoredFile.Place, _ form: Form) -> Message? {
        var done: Message?
        if current.map({ $0.room != place.room || $0.id != place.message }) == true { done = flush() }
        var message = current ?? Message(room: place.room, id: place.message)
        switch form {
        case .bytes:
            message.files[place.id, default: File()].size = object.size
            message.files[place.id]?.changed = object.changed
        case .lost: message.files[place.id, default: File()].lostSince = object.changed
        }
        current = message
        return done
    }

    /// Returns the last message.
    mutating func flush() -> Message? {
        defer { current = nil }
        return current
    }
}

extension BucketSweep.File {
    /// - Parameter isKept: whether the message has the file; `nil` if that is not known now.
    func step(isKept: Bool?, at time: Milliseconds) -> BucketSweep.Step {
        guard size != nil, let changed else { return .remove }
        guard let isKept else { return .keep }
        guard !isKept else { return lostSince == nil ? .keep : .unmark }
        guard let lostSince else { return .mark }
        return FileFolder.isLost(since: lostSince, come: changed, at: time) ? .remove : .keep
    }
}
