package import ChatRoom
package import ChatWire

/// A session's request about the list of its user's rooms.
package enum InboxRequest: Equatable, Sendable {
    case subscribe(Grants, visit: UInt64, ref: UInt64, Resume?)
    /// The connection unsubscribed, or has ended.
    case unsubscribe
    /// A fresh token has other grants. To be answered with ``SessionState/regranted(_:)``, when nothing can come any more
    /// that it does not grant.
    case regrant(Grants, ref: UInt64)
}
