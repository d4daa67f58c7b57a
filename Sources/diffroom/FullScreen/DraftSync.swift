import ChatWire

/// Keeps the lines of the rooms and the drafts at the server alike: decides which line is stored, and which of the drafts of
/// other devices comes into a line.
struct DraftSync {
    private struct Known {
        /// The text that was stored last, from here or from another device.
        var last = ""
        /// The texts that were stored from here before that, and whose news may still come.
        var overtaken: [String] = []
    }

    private var rooms: [RoomName: Known] = [:]

    /// The line of a room is this.
    ///
    /// - Returns: the text to store, empty for none; `nil` if it is stored.
    mutating func changed(_ line: String, in room: RoomName) -> String? {
        // A command is for this screen.
        let text = line.hasPrefix("/") || !line.hasSomethingToSee ? "" : line
        var known = rooms[room] ?? Known()
        guard text != known.last else { return nil }
        known.overtaken.append(known.last)
        known.last = text
        rooms[room] = known
        return text
    }

    /// The server has this draft, empty for none, while the line of the room is another.
    ///
    /// - Returns: the text for the line; `nil` to leave the line as it is. The text that the user has written here since
    ///   stays, and ``changed(_:in:)`` then returns it.
    mutating func apply(_ text: String, in room: RoomName, line: String) -> String? {
        var known = rooms[room] ?? Known()
        defer { rooms[room] = known }
        guard text != known.last else {
            known.overtaken = []
            // A line that was emptied is stored at once, so an empty one is that of a room that was opened again.
            return line.isEmpty && !text.isEmpty ? text : nil
        }
        guard !known.overtaken.contains(text) else { return nil }
        let isUntouched = line == known.last
        known = Known(last: text)
        return isUntouched ? text : nil
    }
}
