package import ChatWire

/// Why a store could not do as asked. Nothing was written.
///
/// Each text names the data, says what is wrong, and what would be right.
package enum RoomStoreError: Error, Equatable, Sendable {
    /// There is no more room on the disk, or a quota is used up. What is there can be read; writing goes on once there
    /// is room, without a restart.
    case full(String)
    /// The data may be read and not written.
    case readOnly(String)
    /// Another process has the data open for writing.
    case inUse(String)
    /// The file is no store of ours.
    case notAStore(String)
    /// A later version of this program wrote it.
    case newer(found: Int, supported: Int)
    /// A server of an earlier version is running on the data, which cannot run beside this one.
    case ahead(living: Int, least: Int)
    /// The data contradicts itself, and not only in what belongs to one room.
    case damaged(String)
    /// What is kept of this room contradicts itself. Whatever leaves the room out can be done.
    case damagedRoom(RoomName, String)
    /// The store cannot be reached, or failed in another way.
    case unavailable(String)
}

extension RoomStoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .full(let text), .readOnly(let text), .inUse(let text), .notAStore(let text), .damaged(let text),
            .unavailable(let text):
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
