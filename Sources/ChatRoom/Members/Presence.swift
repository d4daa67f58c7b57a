package import ChatWire

/// The id of one run of one server, among those that share a store.
package typealias ServerID = UniqueID

/// The state of a person on one server, as that server tells the others.
package struct Presence: Equatable, Sendable {
    package let name: UserName
    /// True when the person has a connection there, or had one a moment ago.
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
