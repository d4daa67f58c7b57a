import ChatWire
import TestSupport
import Testing

/// The changes of a message's reactions beside the reactions themselves.
struct ReactionPatchTests {
    private static let emojis = ["👍", "🎉", "❤️", "e\u{301}", "\u{E9}"]
    private static let users = ["ann", "bob", "cid", "dan", "eve"].map { UserName($0)! }

    /// Adds or removes one reaction as the fold does: an emoji goes with its last user, and comes as the last one.
    private func step(_ reactions: inout [Reaction], using random: inout SplitMix64) {
        let emoji = Self.emojis.randomElement(using: &random)!
        let user = Self.users.randomElement(using: &random)!
        guard let place = reactions.firstIndex(where: { $0.emoji.utf8.elementsEqual(emoji.utf8) }) else {
            return reactions.append(Reaction(emoji: emoji, users: [user]))
        }
        if let old = reactions[place].users.firstIndex(of: user) {
            reactions[place].users.remove(at: old)
            if reactions[place].users.isEmpty { reactions.remove(at: place) }
        } else {
            reactions[place].users.append(user)
        }
    }

    /// A page may have brought any state on the way.
    @Test(arguments: UInt64(0)..<300)
    func fromEachStateOnTheWayAMergedPatchLeadsToTheLast(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var states: [Message.Light] = [Message.Light(reactions: [])]
        for _ in 0..<40 {
            var next = states[states.count - 1]
            for _ in 0..<Int.random(in: 1...2, using: &random) { step(&next.reactions, using: &random) }
            states.append(next)
        }

        for base in stride(from: 0, to: 40, by: 7) {
            var merged = ReactionPatch(from: states[base], to: states[base + 1])
            for place in (base + 1)..<40 { merged.merge(ReactionPatch(from: states[place], to: states[place + 1])) }
            for state in states[base...] {
                var light = state
                merged.apply(to: &light)
                #expect(light == states[40], "from \(base)")
            }
        }
    }

    @Test func aChangeOfOneNameIsOneName() {
        let many = (0..<1_000).map { UserName("person-\($0)")! }
        let (old, new) = (Reaction(emoji: "👍", users: Array(many.dropLast())), Reaction(emoji: "👍", users: many))
        let (before, after) = (Message.Light(reactions: [old]), Message.Light(reactions: [new]))
        let last = [Reaction(emoji: "👍", users: [many[999]])]

        #expect(ReactionPatch(from: before, to: after) == ReactionPatch(added: last))
        #expect(ReactionPatch(from: after, to: before) == ReactionPatch(removed: last))
    }
}
