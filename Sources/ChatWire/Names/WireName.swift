/// A name that is read from a string, and what the string must be.
protocol WireName: LosslessStringConvertible {
    /// For a person to read, after "must be".
    static var shape: String { get }
}

extension RoomName: WireName {
    static var shape: String { "1 to 64 of a-z A-Z 0-9 . _ -, and neither . nor .." }
}

extension ListName: WireName {
    static var shape: String { "room/NAME/messages or room/NAME/members, NAME being \(RoomName.shape)" }
}

extension Epoch: WireName {
    static var shape: String { "1 to 64 bytes" }
}
