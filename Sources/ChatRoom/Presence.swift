package import ChatWire

/// One server among those that share a store, in one run of it.
package typealias ServerID = UniqueID

/// What one server tells the others of somebody in a room: what is the case there, not what happened.
package struct Presence: Equatable, Sendable {
    package let name: UserName
    /// Has a connection there, or had one a moment ago.
    package let isHere: Bool
    package let isTyping: Bool
    package let read: Revision

    package init(name: UserName, isHere: Bool, isTyping: Bool, read: Revision) {
        self.name = name
        self.isHere = isHere
        self.isTyping = isTyping
        self.read = read
    }
}
