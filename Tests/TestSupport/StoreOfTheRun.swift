import Foundation

/// The kind of store for servers under test. A run uses one kind, which `DIFFROOM_TEST_STORE` names;
/// `scripts/test --all` runs each.
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
