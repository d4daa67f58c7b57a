import JSON

/// The whole numbers of the protocol: revisions, sort keys, times.
package enum WireInteger {
    /// They stay below it: what every language's numbers hold exactly.
    package static let limit = JSONValue.integerLimit
}
