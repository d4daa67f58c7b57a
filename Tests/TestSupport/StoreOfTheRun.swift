import Foundation

/// Where servers under test keep their rooms. A run is on one kind: `DIFFROOM_TEST_STORE` says which; `scripts/test --all`
/// has one on each.
package enum StoreOfTheRun: String, Sendable {
    /// A file for each.
    case sqlite
    /// A database for each, in the PostgreSQL server that the tests share.
    case postgres

    package static let current: StoreOfTheRun = {
        guard let name = ProcessInfo.processInfo.environment["DIFFROOM_TEST_STORE"] else { return .sqlite }
        guard let kind = StoreOfTheRun(rawValue: name) else {
            preconditionFailure("DIFFROOM_TEST_STORE is '\(name)', must be 'sqlite' or 'postgres'")
        }
        return kind
    }()
}
