/// A name that is read from a string, with a description of the valid strings.
protocol WireName: LosslessStringConvertible {
    /// The valid strings, for a person to read after "must be".
    static var shape: String { get }
}

extension RoomName: WireName {
    static var shape: String {
        "1 to 64 of a-z A-Z 0-9 . _ -, and neither . nor ..; or ~ and a UUID; or @ and 32 digits of 0-9 a-f; "
            + "and for a thread /thread/ and a UUID after that"
    }
}

extension ListName: WireName {
    static var shape: String {
        "room/NAME/messages, room/NAME/members, room/NAME/pins, me/rooms, me/threads, me/mentions, me/people, "
            + "me/drafts, me/later or me/blocked, NAME being \(RoomName.shape)"
    }
}

extension Epoch: WireName {
    static var shape: String { "1 to 64 bytes" }
}
