import ChatWire

// Drafts, messages and reminders for later, and blocks: only their user reads them.

/// The values that the server has not stored yet, the last one of each key.
struct Unstored<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        /// `nil` to remove what is stored.
        let value: Value?
        let number: UInt64
    }

    private var entries: [Key: Entry] = [:]
    private var last: UInt64 = 0
    /// The time of the next request, when the server had no time for one.
    var due: Milliseconds?

    /// - Returns: the number that the answer must name.
    mutating func insert(_ value: Value?, for key: Key) -> UInt64 {
        last += 1
        entries[key] = Entry(value: value, number: last)
        return last
    }

    /// In the order in which they were inserted.
    var all: [(key: Key, value: Value?, number: UInt64)] {
        entries.map { ($0.key, $0.value.value, $0.value.number) }.sorted { $0.number < $1.number }
    }

    /// Removes a value, unless another one was inserted for the key since.
    ///
    /// - Returns: whether it was the last one.
    @discardableResult
    mutating func remove(_ key: Key, _ number: UInt64) -> Bool {
        guard entries[key]?.number == number else { return false }
        entries[key] = nil
        return true
    }
}

extension ClientSession {
    mutating func keep(_ content: MessageContent?, in room: RoomName) {
        let number = unstoredDrafts.insert(content, for: room)
        if welcome != nil, unstoredDrafts.due == nil { send(content, in: room, number) }
    }

    mutating func keep(_ plan: LaterItem.Plan?, as id: UniqueID) {
        let number = unstoredLater.insert(plan, for: id)
        if welcome != nil, unstoredLater.due == nil { send(plan, as: id, number) }
    }

    mutating func block(_ user: UserName, _ direction: ClientFrame.Switch) {
        let number = unstoredBlocks.insert(direction, for: user)
        if welcome != nil, unstoredBlocks.due == nil { send(direction, for: user, number) }
    }

    /// Sends all that the server has not stored. Call it before the lists are subscribed to: their snapshots then have it.
    mutating func sendUnstored() {
        sendDrafts()
        sendLater()
        sendBlocks()
    }

    mutating func sendDrafts() {
        guard welcome != nil else { return }
        unstoredDrafts.due = nil
        for draft in unstoredDrafts.all { send(draft.value, in: draft.key, draft.number) }
    }

    mutating func sendLater() {
        guard welcome != nil else { return }
        unstoredLater.due = nil
        for item in unstoredLater.all { send(item.value, as: item.key, item.number) }
    }

    mutating func sendBlocks() {
        guard welcome != nil else { return }
        unstoredBlocks.due = nil
        for block in unstoredBlocks.all { send(block.value, for: block.key, block.number) }
    }

    private mutating func send(_ direction: ClientFrame.Switch?, for user: UserName, _ number: UInt64) {
        guard let direction else { return }
        _ = request(.block(user, direction), .block(user, direction, number: number))
    }

    private mutating func send(_ content: MessageContent?, in room: RoomName, _ number: UInt64) {
        _ = request(.draft(room, content), .draft(room, number: number))
    }

    private mutating func send(_ plan: LaterItem.Plan?, as id: UniqueID, _ number: UInt64) {
        _ = request(.later(id, plan), .later(id, plan, number: number))
    }

    mutating func draftRefused(in room: RoomName, _ number: UInt64, _ error: WireError) {
        guard !error.isPassing else {
            unstoredDrafts.due = now + error.pause
            return
        }
        unstoredDrafts.remove(room, number)
        notify(.draftRefused(room, error))
    }

    mutating func laterStored(_ id: UniqueID, _ plan: LaterItem.Plan?, _ number: UInt64) {
        if unstoredLater.remove(id, number) { notify(.laterStored(id, plan)) }
    }

    mutating func laterRefused(_ id: UniqueID, _ plan: LaterItem.Plan?, _ number: UInt64, _ error: WireError) {
        guard !error.isPassing else {
            unstoredLater.due = now + error.pause
            return
        }
        if unstoredLater.remove(id, number) { notify(.laterRefused(id, plan, error)) }
    }

    mutating func blockStored(_ user: UserName, _ direction: ClientFrame.Switch, _ number: UInt64) {
        if unstoredBlocks.remove(user, number) { notify(.blockStored(user, direction)) }
    }

    mutating func blockRefused(
        _ user: UserName, _ direction: ClientFrame.Switch, _ number: UInt64, _ error: WireError
    ) {
        guard !error.isPassing else {
            unstoredBlocks.due = now + error.pause
            return
        }
        if unstoredBlocks.remove(user, number) { notify(.blockRefused(user, direction, error)) }
    }
}
