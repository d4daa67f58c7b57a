import JSON

/// The integers of the protocol: revisions, sort keys, times.
package enum WireInteger {
    /// The bound that they stay below: every language's numbers hold these exactly.
    package static let limit = JSONValue.integerLimit
}
