package import ChatRoom
package import ChatWire

/// A session's request to a room on behalf of its connection, with what its user may do there.
package enum SessionRequest: Equatable, Sendable {
    case subscribe(RoomList, Visitor, ref: UInt64, limit: Int, Resume?)
    case unsubscribe(RoomList)
    /// The connection has gone silent, and was given up.
    case died(RoomList)
    case operate(ref: UInt64, Operation)
    case page(Visitor, ref: UInt64, PagePlace, limit: Int)
    case audit(Visitor, ref: UInt64, before: Revision, limit: Int)
    case members(Visitor, ref: UInt64, MembersSearch)
    case typing(ref: UInt64, ClientFrame.Switch)
    case read(ref: UInt64, Revision)
    /// The user has read all that is in the room. No list of the room is needed for that.
    case readAll(Visitor, ref: UInt64)
    /// A fresh token says something else of a list that the connection is subscribed to. To be answered with
    /// ``SessionState/regranted(_:)``, when nothing of the list can come any more that may not.
    case regrant(RoomList, Role, ref: UInt64)
}
