package import ChatWire

/// The pinned messages of a room, `room/NAME/pins`, in the order of its moderators.
package struct PinList: DerivedList {
    package var list: FollowedList<Pin>
    private var pins = Pins()
    /// The pinned messages that were read; `nil` for one that is not there any more.
    private var messages: [MessageID: Message?] = [:]
    /// The room's revision of which ``messages`` are, and its epoch.
    private var revision: Revision = 0
    private var history: Epoch?
    package private(set) var bytes = 0
    /// True when the rows may not be as ``pins`` and ``messages`` are.
    private var isTouched = false

    package init(of epoch: Epoch, tagging tag: @escaping @Sendable (Pin) -> UniqueID?) {
        list = FollowedList(VersionedList(tagging: tag), of: epoch, tick: .zero)
    }

    package var lacking: [UInt64] {
        isTouched ? pins.entries.lazy.filter { messages[$0.message] == nil }.map(\.sort) : []
    }

    /// - Complexity: O(messages that were touched since the last update), and O(pins) if they concern a pinned one.
    package mutating func update(from room: borrowing RoomState) {
        if let present = room.pins, present != pins {
            pins = present
            let ids = Set(pins.entries.map(\.message))
            messages = messages.filter { ids.contains($0.key) }
            isTouched = true
        }
        if history == room.epoch, let touched = room.touches(since: revision) {
            for history in touched where messages[history.id] != nil {
                messages[history.id] = .some(history.row)
                isTouched = true
            }
        } else {
            messages = [:]
            isTouched = true
        }
        (revision, history) = (room.published, room.epoch)
    }

    package mutating func apply(_ messages: [Message], of sorts: [UInt64]) {
        let read = Dictionary(messages.map { ($0.id, $0) }) { $1 }
        for entry in pins.entries where self.messages[entry.message] == nil && sorts.contains(entry.sort) {
            self.messages[entry.message] = .some(read[entry.message])
        }
    }

    package mutating func commit() -> ListDiff<Pin>? {
        guard isTouched else { return nil }
        isTouched = false
        bytes = messages.values.reduce(0) { $0 + Message.overhead + ($1?.bytes ?? 0) }
        let shown = pins.entries.compactMap { entry in
            (messages[entry.message] ?? nil).flatMap { Pin($0, at: entry.place) }
        }
        let ids = Set(shown.map(\.id))
        for row in list.rows.rows where !ids.contains(row.id) { list.rows.hide(row.id) }
        for row in shown { list.rows.show(row) }
        return list.commit(at: .zero)
    }
}

extension Pin {
    /// - Returns: `nil` for a damaged message, of which there is nothing to show.
    fileprivate init?(_ message: Message, at place: UInt64) {
        guard !message.isDamaged else { return nil }
        // The list of messages tells whether the text still grows.
        var content = message.content
        content.growth = nil
        self.init(
            id: message.id, sort: place, rev: 0, author: message.author, time: message.time,
            light: Light(content: content, edited: message.edited))
    }
}
