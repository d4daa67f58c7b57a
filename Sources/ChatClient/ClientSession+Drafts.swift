import ChatWire

/// The drafts that the server has not stored yet, the last one of each room.
struct UnstoredDrafts: Sendable {
    private struct Entry: Sendable {
        /// `nil` to remove the draft.
        let content: MessageContent?
        let number: UInt64
    }

    private var entries: [RoomName: Entry] = [:]
    private var last: UInt64 = 0
    /// The time of the next request, when the server had no time for one.
    var due: Milliseconds?

    /// - Returns: the number that the answer must name.
    mutating func insert(_ content: MessageContent?, in room: RoomName) -> UInt64 {
        last += 1
        entries[room] = Entry(content: content, number: last)
        return last
    }

    /// In the order in which they were written.
    var all: [(room: RoomName, content: MessageContent?, number: UInt64)] {
        entries.map { ($0.key, $0.value.content, $0.value.number) }.sorted { $0.number < $1.number }
    }

    /// Removes a draft, unless another one was written in the room since.
    mutating func remove(_ room: RoomName, _ number: UInt64) {
        if entries[room]?.number == number { entries[room] = nil }
    }
}

extension ClientSession {
    mutating func keep(_ content: MessageContent?, in room: RoomName) {
        let number = unstoredDrafts.insert(content, in: room)
        if welcome != nil, unstoredDrafts.due == nil { send(content, in: room, number) }
    }

    /// Sends all drafts that the server has not stored. Call it before the list is subscribed to: its snapshot then has them.
    mutating func sendDrafts() {
        guard welcome != nil else { return }
        unstoredDrafts.due = nil
        for draft in unstoredDrafts.all { send(draft.content, in: draft.room, draft.number) }
    }

    private mutating func send(_ content: MessageContent?, in room: RoomName, _ number: UInt64) {
        _ = request(.draft(room, content), .draft(room, number: number))
    }

    mutating func draftRefused(in room: RoomName, _ number: UInt64, _ error: WireError) {
        guard !error.isPassing else {
            unstoredDrafts.due = now + error.pause
            return
        }
        unstoredDrafts.remove(room, number)
        notify(.draftRefused(room, error))
    }
}
