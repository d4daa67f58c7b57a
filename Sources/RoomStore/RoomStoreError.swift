package import ChatWire

/// The reason why a store did not do as asked. Nothing was written.
///
/// Each text names the data, says what is wrong, and says what would be right.
package enum RoomStoreError: Error, Equatable, Sendable {
    /// The disk is full, or a quota is used up. The data can still be read. Writing goes on without a restart once
    /// there is room.
    case full(String)
    /// The data may be read but not written.
    case readOnly(String)
    /// Another process has the data open for writing.
    case inUse(String)
    /// The file is not a store of this program.
    case notAStore(String)
    /// A later version of this program wrote the data.
    case newer(found: Int, supported: Int)
    /// A server of an earlier version, which cannot run beside this one, is running on the data.
    case ahead(living: Int, least: Int)
    /// The rooms are in other databases than the server's list says.
    case misplaced(String)
    /// The data contradicts itself, and it is not known to be one room's.
    case damaged(String)
    /// This room's data contradicts itself. Everything that leaves the room out works.
    case damagedRoom(RoomName, String)
    /// The store cannot be reached, or failed in another way.
    case unavailable(String)
}

extension RoomStoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .full(let text), .readOnly(let text), .inUse(let text), .notAStore(let text), .damaged(let text),
            .misplaced(let text), .unavailable(let text):
            text
        case .damagedRoom(let room, let text):
            "the data of room \(room) is damaged (\(text)): put a backup in its place"
        case .newer(let found, let supported):
            "the data has format \(found), which a later version wrote; this one knows formats up to \(supported): "
                + "start the later version, or choose another --data or --store"
        case .ahead(let living, let least):
            "a server is running on the data that knows formats up to \(living), and this version runs beside those only "
                + "that know \(least): upgrade to a version in between first, or stop all servers, then start this one"
        }
    }
}
