import ChatWire
import Locking

/// A counter for each of a few values of a label.
final class Family: Sendable {
    private let totals: Guarded<[String: UInt64]>

    /// - Parameter values: the values that are shown before they are first counted.
    init(_ values: [String]) {
        totals = Guarded(Dictionary(uniqueKeysWithValues: values.map { ($0, 0) }))
    }

    func count(_ value: String) {
        totals.withLock { $0[value, default: 0] += 1 }
    }

    /// Shows `value` from now on.
    func show(_ value: String) {
        totals.withLock { $0[value, default: 0] += 0 }
    }

    func has(_ value: String) -> Bool {
        totals.withLock { $0[value] != nil }
    }

    subscript(_ value: String) -> UInt64 {
        totals.withLock { $0[value] ?? 0 }
    }

    var all: [(value: String, total: UInt64)] {
        totals.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }
}

extension CloseCode {
    /// The codes that are shown from the start; 1005 is a close without a code, 1006 a broken connection.
    static let usual = [
        normal, goingAway, 1002, unsupported, 1005, 1006, invalidText, policyViolation, tooLarge, internalError,
        restart,
        overload, silent, stalled, flooding, helloTimeout, tokenExpired, closedByOperator, owesMost,
        badFrame, barredByOperator,
    ]
}
