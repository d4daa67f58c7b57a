import ChatWire

/// The files that a server knows to be in a bucket, and the uploads that it has allowed: what counts toward the quotas.
struct FileLedger: Sendable {
    private struct Entry: Sendable {
        let user: UserName
        let bytes: Int
    }

    private var files: [StoredFile.Place: Entry] = [:]
    private var permits: [StoredFile.Place: (entry: Entry, until: Milliseconds)] = [:]
    private var permitsOfUsers: [UserName: Int] = [:]
    private var usage = FileUsage()
    /// The files that were added since the present sweep began, and `nil` for those that were removed.
    private var changes: [StoredFile.Place: Entry?] = [:]
    /// The time at which permits that are over were last removed.
    private var pruned: Milliseconds = 0

    /// The most uploads that may be allowed and not confirmed at one time: of one person, and of all.
    static let mostPermits = (user: 256, all: 65_536)
    private static let pruneTime = 60_000 as Milliseconds

    func user(of place: StoredFile.Place) -> UserName? { files[place]?.user }

    // MARK: - Uploads

    /// Counts an upload until it is confirmed, or its time is over.
    mutating func permit(
        _ stored: StoredFile, until: Milliseconds, at time: Milliseconds, _ limits: FileLimits
    ) throws(FileRefusal) {
        if time >= pruned + Self.pruneTime { prune(at: time) }
        guard permits.count < Self.mostPermits.all, permitsOfUsers[stored.user] ?? 0 < Self.mostPermits.user else {
            throw .tooManyUploads
        }
        if let refusal = usage.refusal(of: stored, stored.file.size, limits) { throw refusal }
        permits[stored.place] = (Entry(user: stored.user, bytes: stored.file.size), until)
        permitsOfUsers[stored.user, default: 0] += 1
        usage.add(stored.file.size, of: stored.user, in: stored.place.room)
    }

    /// Counts a file that is there. A repeat changes nothing.
    mutating func confirm(_ stored: StoredFile, _ limits: FileLimits) throws(FileRefusal) {
        guard files[stored.place] == nil else { return }
        endPermit(stored.place)
        if let refusal = usage.refusal(of: stored, stored.file.size, limits) { throw refusal }
        let entry = Entry(user: stored.user, bytes: stored.file.size)
        (files[stored.place], changes[stored.place]) = (entry, .some(entry))
        usage.add(entry.bytes, of: entry.user, in: stored.place.room)
    }

    private mutating func endPermit(_ place: StoredFile.Place) {
        guard let (entry, _) = permits.removeValue(forKey: place) else { return }
        usage.add(-entry.bytes, of: entry.user, in: place.room)
        let others = (permitsOfUsers[entry.user] ?? 1) - 1
        permitsOfUsers[entry.user] = others > 0 ? others : nil
    }

    private mutating func prune(at time: Milliseconds) {
        pruned = time
        for (place, permit) in permits where permit.until < time { endPermit(place) }
    }

    // MARK: - Files

    mutating func remove(_ place: StoredFile.Place) {
        changes[place] = .some(nil)
        guard let entry = files.removeValue(forKey: place) else { return }
        usage.add(-entry.bytes, of: entry.user, in: place.room)
    }

    /// Begins a sweep, which ends by ``replace(by:)``.
    mutating func beginSweep() { changes = [:] }

    /// Replaces the files by those that a sweep has found, with what has changed meanwhile.
    mutating func replace(by found: [StoredFile.Place: (user: UserName, bytes: Int)]) {
        files = found.mapValues { Entry(user: $0.user, bytes: $0.bytes) }
        for (place, entry) in changes { files[place] = entry }
        changes = [:]
        // The file of a permit may be there, without being confirmed.
        for place in Array(permits.keys) where files[place] != nil { endPermit(place) }
        usage = FileUsage()
        for (place, entry) in files { usage.add(entry.bytes, of: entry.user, in: place.room) }
        for (place, permit) in permits { usage.add(permit.entry.bytes, of: permit.entry.user, in: place.room) }
    }
}
