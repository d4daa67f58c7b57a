package import ChatWire

/// A session's request about the list of profiles of its user.
package enum ProfileRequest: Equatable, Sendable {
    case subscribe(visit: UInt64, ref: UInt64, Resume?)
    /// The connection unsubscribed, or has ended.
    case unsubscribe
    /// Ask for some people.
    case request([UserName], ref: UInt64)
}
