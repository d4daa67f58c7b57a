import ChatWire
import Foundation
import PostgresStore
import RoomStore
import SQLiteStore
import StoreEngine
import TestSupport
import Testing

/// The stores that the suite runs over. One more store is one more case.
enum StoreUnderTest: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case sqlite
    case postgres
    /// Two databases, each with half of the rooms.
    case sharded

    var testDescription: String { rawValue }

    /// Returns each store with each of the seeds; stores with a round trip for each request get a few of them.
    ///
    /// `DIFFROOM_TEST_HISTORIES` says another number of seeds, and `DIFFROOM_TEST_STORE` only one of the stores.
    static func histories(_ count: UInt64) -> [(StoreUnderTest, UInt64)] {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["DIFFROOM_TEST_HISTORIES"].flatMap(UInt64.init) ?? count
        let only = environment["DIFFROOM_TEST_STORE"]
        return allCases.filter { only == nil || only == $0.rawValue }
            .flatMap { kind in (0..<count / kind.thrift).map { (kind, $0) } }
    }

    private var thrift: UInt64 {
        switch self {
        case .memory, .sqlite: 1
        case .postgres: 10
        case .sharded: 25
        }
    }

    /// A new, empty store, whose data is in `folder` if it has any.
    func make(in folder: TemporaryFolder, limits: WireLimits = WireLimits()) throws -> any RoomStore {
        switch self {
        case .memory: InMemoryStore(limits: limits)
        case .sqlite: try SQLiteStore(path: folder.file("rooms.db"), limits: limits)
        case .postgres: try PostgresStore(.unused(), limits: limits)
        case .sharded:
            ShardedStore(try PostgresStore.open([.unused(), .unused()], limits: limits))
        }
    }
}

extension PostgresAddress {
    /// Returns a database without rooms, in the server that the tests share.
    static func unused() throws -> PostgresAddress {
        let name = "test_" + UUID().uuidString.filter { $0 != "-" }.lowercased()
        return try PostgresAddress(ThrowawayPostgres.shared.get().address, schema: name)
    }
}
