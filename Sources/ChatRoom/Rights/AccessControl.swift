package import ChatWire

/// A user who asks to follow a list or to read, with the role that a token grants.
package struct Visitor: Equatable, Sendable {
    package let user: UserName
    package let grant: Role
    /// The number of the connection's subscription. The end of one subscription says nothing about a later one.
    package let visit: UInt64

    package init(user: UserName, grant: Role, visit: UInt64 = 0) {
        self.user = user
        self.grant = grant
        self.visit = visit
    }

    /// Returns the error for a visitor with this standing that lacks the role for a request; `nil` if it has the role.
    package func refusal(_ least: Role, in room: RoomName, with standing: Standing) -> WireError? {
        standing.refusal(least, in: room, granted: grant)
    }

    /// Returns the same visitor with the role of another token.
    package func granted(_ grant: Role) -> Visitor {
        Visitor(user: user, grant: grant, visit: visit)
    }
}

extension Standing {
    /// Returns the error for a user with this standing that lacks the role for a request; `nil` if it has the role.
    package func refusal(_ least: Role, in room: RoomName, granted grant: Role) -> WireError? {
        let role = role(granted: grant, in: room.kind)
        guard role < least else { return nil }
        return WireError(.lacking(least, role, self, in: room.kind), in: room)
    }
}

/// One room's access control: the readers of its lists, and whether its rules still admit them.
///
/// No reader is admitted while the rules are unknown. The newest rules apply, whichever way they arrived.
struct AccessControl: Sendable {
    private struct Follower: Sendable {
        var visitor: Visitor
        /// The revision of the rules that admitted the follower. A later kick puts it out.
        var since: Revision
        /// The rights that the client was last sent. Kept for followers of the messages only.
        var sent = SentStanding()
    }

    /// The rights of its user that a client is sent, with the end of a mute, which is a span on the wire.
    private struct SentStanding: Equatable, Sendable {
        var standing = RoomStanding()
        var mutedUntil: Milliseconds = 0

        func frame(of room: RoomName, at instant: Milliseconds) -> ServerFrame {
            var standing = standing
            standing.mutedFor = mutedUntil > instant ? mutedUntil.since(instant) : 0
            return .standing(room, standing)
        }
    }

    private let room: RoomName
    /// `nil` while the rules are unknown.
    private var configuration: RoomConfiguration?
    private var standings = KnownStandings()
    /// True when the standing of a follower is unknown. Nothing may be sent to it then.
    private(set) var isLacking = false
    /// The revision of the rules.
    private(set) var revision: Revision = 0
    /// True when the rules have changed since the followers were last reevaluated.
    private var isDue = false
    /// True when the next rules belong to another history, in which the followers' revisions mean nothing.
    private var isRenewed = false
    private var followers: [RoomList: [Reader: Follower]] = [:]
    /// The store's time. Mutes end by it.
    var instant: Milliseconds = 0

    init(of room: RoomName) {
        self.room = room
    }

    var isEmpty: Bool { followers.values.allSatisfy(\.isEmpty) }

    /// The pinned messages; `nil` while the rules are unknown.
    var pins: Pins? { configuration?.pins }

    // MARK: - Rules

    mutating func apply(_ rules: RoomRules, asOf revision: Revision) {
        let before = (configuration, standings)
        if configuration == nil || revision > self.revision {
            configuration = rules.configuration
            standings.replace(by: rules, asOf: revision)
            self.revision = revision
        } else {
            // All changes since have been applied: only people of whom nothing was known may be new.
            standings.add(rules, asOf: revision)
            if standings.isLarge { standings.dropDefaults(at: self.revision, of: people.union(rules.scope ?? [])) }
        }
        isDue = isDue || before != (configuration, standings)
        findLacking()
        guard isRenewed else { return }
        isRenewed = false
        for list in RoomList.allCases {
            for reader in (followers[list] ?? [:]).keys { followers[list]?[reader]?.since = revision }
        }
    }

    private mutating func findLacking() {
        isLacking =
            !standings.isWhole && followers.values.contains { $0.values.contains { standings[$0.visitor.user] == nil } }
    }

    /// Returns whether the rules and the standing of a user are known.
    func knows(_ user: UserName) -> Bool { configuration != nil && standings[user] != nil }

    /// The users whose standings must be read with the rules; none where all are known.
    ///
    /// - Complexity: O(followers), or O(1) while all are known.
    var people: Set<UserName> {
        standings.isWhole
            ? [] : followers.values.reduce(into: []) { $0.formUnion($1.values.map(\.visitor.user)) }
    }

    /// True while all standings are known.
    var knowsAll: Bool { standings.isWhole }

    /// About the size of what is known of people, in bytes.
    var bytes: Int { standings.count * Self.bytesOfStanding }

    private static let bytesOfStanding = 128

    mutating func apply(_ change: RowChange, at revision: Revision) {
        guard configuration != nil, revision > self.revision else { return }
        self.revision = revision
        configuration?.apply(change)
        switch change {
        case .ruled, .affiliated, .created: break
        case .inserted, .reloaded, .reconfigured, .deleted, .joined, .left, .settings, .nothing: return
        }
        standings.apply(change)
        isDue = true
    }

    /// Forgets the rules. Without followers, the room no longer hears of changes.
    mutating func forget() {
        configuration = nil
        standings = KnownStandings()
        revision = 0
        isDue = false
        isLacking = false
    }

    /// Forgets the rules, because the room's history was replaced.
    mutating func renew() {
        forget()
        isRenewed = true
    }

    // MARK: - Followers

    /// Returns the error for a visitor that lacks the role for a request; `nil` if it has the role, or if its standing is
    /// unknown.
    func refusal(of visitor: Visitor, least: Role) -> WireError? {
        guard configuration != nil, let standing = standings[visitor.user] else { return nil }
        return visitor.refusal(least, in: room, with: standing)
    }

    /// - Returns: the client's standing, if it is not the usual one, or what the client was last sent is not: a client that
    ///   subscribes again takes what it is not told for the usual.
    mutating func admit(_ reader: Reader, _ visitor: Visitor, to list: RoomList) -> ServerFrame? {
        var follower = Follower(visitor: visitor, since: revision)
        let known = followers[list]?[reader]?.sent ?? SentStanding()
        if list == .messages { follower.sent = sentStanding(visitor) ?? SentStanding() }
        followers[list, default: [:]][reader] = follower
        return follower.sent == known && known == SentStanding() ? nil : follower.sent.frame(of: room, at: instant)
    }

    mutating func updateGrant(_ reader: Reader, _ list: RoomList, _ grant: Role) {
        guard let visitor = followers[list]?[reader]?.visitor else { return }
        followers[list]?[reader]?.visitor = visitor.granted(grant)
        isDue = true
    }

    mutating func leave(_ reader: Reader, _ list: RoomList) {
        followers[list]?[reader] = nil
    }

    /// Returns the error that a follower's messages would get now; `nil` if the room would accept them.
    func silence(of reader: Reader) -> WireError? {
        guard let configuration, let visitor = followers[.messages]?[reader]?.visitor,
            let standing = standings[visitor.user]
        else { return nil }
        do throws(Refusal) {
            let role = standing.role(granted: visitor.grant, in: configuration.kind)
            try configuration.requireVoice(as: role, with: standing, at: instant)
            return nil
        } catch {
            return WireError(error, in: room)
        }
    }

    // MARK: - Changes of the rules

    enum Change {
        case end(Reader, RoomList, visit: UInt64, ServerFrame.Ending)
        case send(Reader, ServerFrame)
    }

    /// Reevaluates the followers under changed rules, and returns those that must leave and those whose rights changed.
    ///
    /// - Complexity: O(followers × log(followers)) after a change, else O(1).
    mutating func reevaluate() -> [Change] {
        guard isDue, !isLacking, configuration != nil else { return [] }
        isDue = false
        var changes: [Change] = []
        for list in RoomList.allCases {
            for (reader, follower) in (followers[list] ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard let standing = sentStanding(follower.visitor) else { continue }
                if let ending = ending(of: follower) {
                    followers[list]?[reader] = nil
                    changes.append(.end(reader, list, visit: follower.visitor.visit, ending))
                } else if list == .messages, standing != follower.sent {
                    followers[list]?[reader]?.sent = standing
                    changes.append(.send(reader, standing.frame(of: room, at: instant)))
                }
            }
        }
        return changes
    }

    /// `nil` if the visitor's standing is unknown.
    private func sentStanding(_ visitor: Visitor) -> SentStanding? {
        guard let configuration, let standing = standings[visitor.user] else { return nil }
        let end = standing.mutedUntil
        return SentStanding(
            standing: configuration.roomStanding(of: visitor, with: standing), mutedUntil: end > instant ? end : 0)
    }

    private func ending(of follower: Follower) -> ServerFrame.Ending? {
        guard let standing = standings[follower.visitor.user] else { return nil }
        let role = standing.role(granted: follower.visitor.grant, in: room.kind)
        if role < .read { return standing.isBanned ? .banned(from: room) : .forbidden(room) }
        return standing.kicked > follower.since && role < .own ? .kicked(from: room) : nil
    }
}

extension RoomConfiguration {
    /// Returns what a visitor with this standing is sent.
    fileprivate func roomStanding(of visitor: Visitor, with standing: Standing) -> RoomStanding {
        RoomStanding(
            role: standing.role(granted: visitor.grant, in: kind), slowMode: slowMode, isReadOnly: isReadOnly,
            title: title, topic: topic, picture: picture)
    }
}

extension ServerFrame.Ending {
    static func kicked(from room: RoomName) -> Self {
        Self(why: .kicked, message: "a moderator has put you out of room \(room)")
    }

    static func banned(from room: RoomName) -> Self {
        Self(why: .banned, message: "a moderator has closed room \(room) to you")
    }

    static func forbidden(_ room: RoomName) -> Self {
        Self(why: .forbidden, message: "you may not read room \(room) any more")
    }
}
