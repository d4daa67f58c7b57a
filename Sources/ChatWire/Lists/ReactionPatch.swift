/// The reactions to one message that were added and taken back between two revisions.
public struct ReactionPatch: Equatable, Sendable {
    /// The people who took a reaction back.
    public private(set) var removed: [Reaction]
    /// The people who reacted, in the order in which they did. They are the last of their emoji.
    public private(set) var added: [Reaction]
    /// All emojis of the message in their order; `nil` if they are as before.
    public private(set) var emojis: [String]?

    public init(removed: [Reaction] = [], added: [Reaction] = [], emojis: [String]? = nil) {
        self.removed = removed
        self.added = added
        self.emojis = emojis
    }

    /// Finds the difference between a state and the next one.
    ///
    /// - Complexity: O(names of the emojis that changed).
    public init(from old: Message.Light, to new: Message.Light) {
        self.init()
        for reaction in old.reactions {
            let users = new.reactions.users(of: reaction.emoji)
            guard reaction.users != users else { continue }
            let left = Set(users)
            removed.append(reaction.users.filter { !left.contains($0) }, of: reaction.emoji)
        }
        for reaction in new.reactions {
            added.append(reaction.users.behind(old.reactions.users(of: reaction.emoji)), of: reaction.emoji)
        }
        let order = new.reactions.map(\.emoji)
        let isSame = order.elementsEqual(old.reactions.map(\.emoji)) { $0.hasBytes(of: $1) }
        if !isSame { emojis = order }
    }

    /// The size of what it names, in bytes.
    public var size: Int {
        removed.size + added.size + (emojis ?? []).reduce(0) { $0 + $1.utf8.count + 3 }
    }

    public func apply(to light: inout Message.Light) {
        for reaction in removed { light.reactions.remove(reaction.users, of: reaction.emoji) }
        for reaction in added {
            light.reactions.remove(reaction.users, of: reaction.emoji)
            light.reactions.append(reaction.users, of: reaction.emoji)
        }
        light.reactions.removeAll { $0.users.isEmpty }
        guard let emojis else { return }
        light.reactions = emojis.compactMap { emoji in light.reactions.first { $0.emoji.hasBytes(of: emoji) } }
    }

    var isEmpty: Bool { removed.isEmpty && added.isEmpty && emojis == nil }

    /// Adds the next change.
    ///
    /// - Complexity: O(names of both).
    public mutating func merge(_ later: ReactionPatch) {
        for reaction in later.removed { put(reaction, into: \.removed) }
        for reaction in later.added { put(reaction, into: \.added) }
        removed.removeAll { $0.users.isEmpty }
        added.removeAll { $0.users.isEmpty }
        emojis = later.emojis ?? emojis
    }

    private mutating func put(_ reaction: Reaction, into place: WritableKeyPath<Self, [Reaction]>) {
        removed.remove(reaction.users, of: reaction.emoji)
        added.remove(reaction.users, of: reaction.emoji)
        self[keyPath: place].append(reaction.users, of: reaction.emoji)
    }
}

extension [Reaction] {
    /// The space that the reactions take in a frame, in bytes: the emoji + 24 for each reaction, the name + 3 for each user.
    var size: Int {
        reduce(0) { size, reaction in
            reaction.users.reduce(size + 24 + reaction.emoji.utf8.count) { $0 + 3 + $1.description.utf8.count }
        }
    }

    fileprivate func users(of emoji: String) -> [UserName] {
        first { $0.emoji.hasBytes(of: emoji) }?.users ?? []
    }

    /// An emoji without users keeps its place.
    fileprivate mutating func remove(_ users: [UserName], of emoji: String) {
        guard let place = firstIndex(where: { $0.emoji.hasBytes(of: emoji) }) else { return }
        if users.count == 1 { return self[place].users.removeAll { $0 == users[0] } }
        let gone = Set(users)
        self[place].users.removeAll { gone.contains($0) }
    }

    fileprivate mutating func append(_ users: [UserName], of emoji: String) {
        guard !users.isEmpty else { return }
        guard let place = firstIndex(where: { $0.emoji.hasBytes(of: emoji) }) else {
            return append(Reaction(emoji: emoji, users: users))
        }
        self[place].users.append(contentsOf: users)
    }
}

extension [UserName] {
    /// Returns the users from the first one on who did not stand before the next in an earlier order.
    fileprivate func behind(_ earlier: [UserName]) -> [UserName] {
        var rest = earlier[...]
        for (place, user) in enumerated() {
            guard let found = rest.firstIndex(of: user) else { return Array(self[place...]) }
            rest = rest[(found + 1)...]
        }
        return []
    }
}
