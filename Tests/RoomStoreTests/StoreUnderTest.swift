import ChatWire
import RoomStore
import SQLiteStore
import TestSupport
import Testing

/// The stores that the suite holds to one set of claims. One more store is one more case.
enum StoreUnderTest: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case sqlite

    var testDescription: String { rawValue }

    /// A new, empty store, whose data is in `folder` if it has any.
    func make(in folder: TemporaryFolder, limits: WireLimits = WireLimits()) throws -> any RoomStore {
        switch self {
        case .memory: InMemoryStore(limits: limits)
        case .sqlite: try SQLiteStore(path: folder.file("rooms.db"), limits: limits)
        }
    }
}
