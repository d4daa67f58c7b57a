/// A change of a message that names only what changes: the text that was added, and the reactions that came and went.
public struct MessagePatch: RowPatch {
    public private(set) var growth: TextGrowth?
    public private(set) var reactions: ReactionPatch

    public init(growth: TextGrowth? = nil, reactions: ReactionPatch = ReactionPatch()) {
        self.growth = growth
        self.reactions = reactions
    }

    /// Finds which reactions came and went; `nil` if the thread has changed, too.
    ///
    /// - Precondition: nothing else has changed.
    public init?(reactionsFrom old: Message, to new: Message) {
        guard old.thread == new.thread else { return nil }
        self.init(reactions: ReactionPatch(from: old.light, to: new.light))
    }

    /// Finds what an open message has grown by; `nil` if it changed in another way.
    ///
    /// - Complexity: O(bytes of the old text).
    public init?(growthFrom old: Message, to new: Message) {
        guard let growth = TextGrowth(from: old.content, to: new.content), old.edited == new.edited,
            old.light == new.light, old.id == new.id
        else { return nil }
        self.init(growth: growth)
    }

    public var size: Int { (growth?.size ?? 0) + reactions.size }

    public var reloads: Bool { growth != nil }

    /// About the least space that a row's other fields take in a frame, in bytes.
    private static let restOfRow = 100

    public func isLarger(than row: Message) -> Bool {
        size > (reloads ? row.content.size + row.light.size + Self.restOfRow : row.light.size)
    }

    public func apply(to row: inout Message) -> Bool {
        if let growth {
            guard growth.apply(to: &row.content) else { return false }
        }
        reactions.apply(to: &row.light)
        return true
    }

    public mutating func merge(_ later: MessagePatch) {
        reactions.merge(later.reactions)
        guard let next = later.growth else { return }
        growth = growth.map { $0.followed(by: next) } ?? next
    }
}

/// The text that was added to an open message, and whether the message still grows.
public struct TextGrowth: Equatable, Sendable {
    /// The size of the text before, in bytes of UTF-8.
    public let start: Int
    public let added: String
    public let growth: Growth?

    public init(from start: Int, _ added: String, _ growth: Growth?) {
        (self.start, self.added, self.growth) = (start, added, growth)
    }

    /// - Complexity: O(bytes of the old text).
    init?(from old: MessageContent, to new: MessageContent) {
        var rest = new
        (rest.text, rest.growth) = (old.text, old.growth)
        guard old.growth == .open, rest == old, let added = new.text.dropping(old.text) else { return nil }
        self.init(from: old.text.utf8.count, added, new.growth)
    }

    /// The space that it takes in a frame, in bytes.
    var size: Int { added.utf8.count + 24 }

    /// Brings a state since `start` to the later one; returns false if there is none that it can have been.
    func apply(to content: inout MessageContent) -> Bool {
        guard let kept = content.text.prefix(bytes: start) else { return false }
        content.text = kept + added
        content.growth = growth
        return true
    }

    /// - Precondition: `next` is what it grew by after this.
    func followed(by next: TextGrowth) -> TextGrowth {
        let kept = added.prefix(bytes: next.start - start) ?? added
        return TextGrowth(from: start, kept + next.added, next.growth)
    }
}

extension String {
    /// Returns the text without a beginning that it has byte by byte; `nil` if it begins in another way.
    fileprivate func dropping(_ beginning: String) -> String? {
        let size = beginning.utf8.count
        guard utf8.count >= size, prefix(bytes: size)?.hasBytes(of: beginning) == true else { return nil }
        return String(self[utf8.index(startIndex, offsetBy: size)...])
    }

    /// Returns the first bytes as a text; `nil` if there are fewer, or a character's bytes go on after them.
    fileprivate func prefix(bytes count: Int) -> String? {
        guard (0...utf8.count).contains(count) else { return nil }
        return String(utf8.prefix(count))
    }
}
