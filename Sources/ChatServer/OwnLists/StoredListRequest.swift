package import ChatWire

/// A session's request about a list of its user's whose rows are what the store keeps of people.
package enum StoredListRequest: Equatable, Sendable {
    case subscribe(visit: UInt64, ref: UInt64, Resume?)
    /// The connection unsubscribed, or has ended.
    case unsubscribe
    /// Adds people to the list.
    case request([UserName], ref: UInt64)
}
