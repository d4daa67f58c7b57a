package import ChatWire

/// An item of a person's `me/later`, as the store keeps it.
package struct StoredLater: Equatable, Sendable {
    package let id: UniqueID
    package var light: LaterItem.Light
    /// The role that the person's token allowed in the room when the item was stored. The message is sent with it.
    package var role: Role
    /// The time from which on the message is to be sent; `nil` for a reminder and for a message that was refused. Of two
    /// messages of a person for one time, the one that was stored later has a later time here.
    package var due: Milliseconds?
    /// The time until which a server sends the message, and others leave it alone; 0 while no server does.
    package var held: Milliseconds

    package init(
        id: UniqueID, _ light: LaterItem.Light, role: Role, due: Milliseconds?, held: Milliseconds = 0
    ) {
        (self.id, self.light, self.role, self.due, self.held) = (id, light, role, due, held)
    }

    /// Makes the item that a person has just stored.
    init(id: UniqueID, _ plan: LaterItem.Plan, role: Role) {
        let isMessage = if case .send = plan.action { true } else { false }
        self.init(id: id, LaterItem.Light(plan), role: role, due: isMessage ? plan.at : nil)
    }
}

/// A change of one item of a person's `me/later`.
package struct LaterChange: Equatable, Sendable {
    package enum Action: Equatable, Sendable {
        /// The person stores the item, in place of one with its id.
        case put(LaterItem.Plan, Role)
        /// The person removes the item.
        case cancel
        /// A server begins to send the message, if it is due and no other server does, and sends it until this time.
        case hold(at: Milliseconds, until: Milliseconds)
        /// The message was sent.
        case finish
        /// The message was not sent, and is to be sent later.
        case postpone(Milliseconds)
        /// The message was not sent, and will not be.
        case refuse(WireError)
    }

    package let user: UserName
    package let id: UniqueID
    package let action: Action

    package init(user: UserName, id: UniqueID, _ action: Action) {
        (self.user, self.id, self.action) = (user, id, action)
    }
}

/// The reason why a ``LaterChange`` has no effect.
package enum LaterRefusal: Error, Equatable, Sendable {
    /// There is no such item, or a server is sending it.
    case notWaiting
    /// The person has as many items as they may have.
    case tooMany
}

/// All items of one person: decides what a change does, for every store.
package struct LaterItems: Equatable, Sendable {
    /// The average size that a person's items may have, in bytes: a few long messages, or many short ones.
    package static let bytesOfItem = 2_048

    package private(set) var items: [UniqueID: StoredLater]
    /// The ids of the items that were changed or removed.
    package private(set) var changed: Set<UniqueID> = []

    package init(_ items: [StoredLater]) {
        self.items = Dictionary(items.map { ($0.id, $0) }) { $1 }
    }

    /// - Parameter most: the number of items that the person may have.
    /// - Returns: the item after the change, or as it was before it was removed.
    package mutating func apply(_ change: LaterChange, most: Int) throws(LaterRefusal) -> StoredLater {
        let old = items[change.id]
        var item: StoredLater
        switch change.action {
        case .put(let plan, let role):
            guard old?.held ?? 0 == 0 else { throw .notWaiting }
            guard old != nil || items.count < most else { throw .tooMany }
            let others = items.values.reduce(0) { $0 + ($1.id == change.id ? 0 : $1.light.plan.size) }
            guard others == 0 || others + plan.size <= most * Self.bytesOfItem else { throw .tooMany }
            item = StoredLater(id: change.id, plan, role: role)
            if let due = old?.due, old?.light.plan.at == plan.at, item.due != nil { item.due = due }
            while let due = item.due, items.values.contains(where: { $0.due == due && $0.id != item.id }) {
                item.due = due + 1
            }
        case .cancel:
            guard let old, old.held == 0 else { throw .notWaiting }
            return remove(old)
        case .hold(let now, let end):
            guard let old, let due = old.due, due <= now, old.held <= now else { throw .notWaiting }
            item = old
            item.held = end
        case .finish:
            guard let old, old.held > 0 else { throw .notWaiting }
            return remove(old)
        case .postpone(let time):
            guard let old, old.held > 0 else { throw .notWaiting }
            item = old
            (item.due, item.held) = (time, 0)
        case .refuse(let error):
            guard let old, old.held > 0 else { throw .notWaiting }
            item = old
            (item.light.refusal, item.due, item.held) = (error, nil, 0)
        }
        items[item.id] = item
        changed.insert(item.id)
        return item
    }

    private mutating func remove(_ item: StoredLater) -> StoredLater {
        items[item.id] = nil
        changed.insert(item.id)
        return item
    }
}

extension [LaterChange] {
    /// Applies the changes in order to what is stored of their people.
    ///
    /// - Returns: the outcome of each change, and the people's items after all of them.
    package func applied(
        to stored: [UserName: [StoredLater]], most: Int
    ) -> (outcomes: [Result<StoredLater, LaterRefusal>], people: [UserName: LaterItems]) {
        var people: [UserName: LaterItems] = [:]
        let outcomes = map { change -> Result<StoredLater, LaterRefusal> in
            do throws(LaterRefusal) {
                return .success(
                    try people[change.user, default: LaterItems(stored[change.user] ?? [])].apply(change, most: most))
            } catch {
                return .failure(error)
            }
        }
        return (outcomes, people)
    }
}
