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
    /// The data contradicts itself.
    case damaged(String)
    /// The store cannot be reached, or failed in another way.
    case unavailable(String)
}

extension RoomStoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .full(let text), .readOnly(let text), .inUse(let text), .notAStore(let text), .damaged(let text),
            .unavailable(let text):
            text
        case .newer(let found, let supported):
            "the data has format \(found), which a later version wrote; this one knows formats up to \(supported): "
                + "start the later version, or choose another --data"
        }
    }
}
