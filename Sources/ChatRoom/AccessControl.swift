package import ChatWire

/// Who asks to be let in, and as what a token lets them.
package struct Visitor: Equatable, Sendable {
    package let user: UserName
    package let grant: Role
    /// Which of its connection's subscriptions it is about: that it ends is no news about a later one.
    package let visit: UInt64

    package init(user: UserName, grant: Role, visit: UInt64 = 0) {
        self.user = user
        self.grant = grant
        self.visit = visit
    }

    /// The same, with what another token lets them.
    package func granted(_ grant: Role) -> Visitor {
        Visitor(user: user, grant: grant, visit: visit)
    }
}

/// One room's access: who was let in to follow its lists, and whether its rules still allow that.
///
/// Rules that are not known let nobody in. The newest that were heard of hold, whichever way they came.
struct AccessControl: Sendable {
    private struct Follower: Sendable {
        var visitor: Visitor
        /// The revision of the rules that let it in: it is put out by a kick after that.
        var since: Revision
        /// What its client knows; of the messages' followers only.
        var told = RoomStanding()
    }

    fileprivate enum Followed: CaseIterable {
        case messages
        case members
    }

    private let room: RoomName
    private(set) var rules: RoomRules?
    /// What they are as of.
    private var revision: Revision = 0
    /// Rules have changed since everybody was looked at.
    private var isDue = false
    /// The next rules are of another history: the revisions that followers came at mean nothing.
    private var isRenewed = false
    private var followers: [Followed: [Reader: Follower]] = [:]

    init(of room: RoomName) {
        self.room = room
    }

    /// Whether nobody follows the room.
    var isEmpty: Bool { followers.values.allSatisfy(\.isEmpty) }

    // MARK: - Rules

    mutating func learn(_ rules: RoomRules, asOf revision: Revision) {
        guard self.rules == nil || revision >= self.revision else { return }
        isDue = isDue || self.rules != rules
        self.rules = rules
        self.revision = revision
        guard isRenewed else { return }
        isRenewed = false
        for followed in Followed.allCases {
            for reader in (followers[followed] ?? [:]).keys { followers[followed]?[reader]?.since = revision }
        }
    }

    mutating func apply(_ change: RowChange, at revision: Revision) {
        guard rules != nil, revision > self.revision else { return }
        self.revision = revision
        guard case .ruled = change else { return }
        rules?.apply(change)
        isDue = true
    }

    /// Nobody follows: what changes from here on is not heard of.
    mutating func forget() {
        rules = nil
        revision = 0
        isDue = false
    }

    /// The room's history is another: what is known of it is to be learnt anew.
    mutating func renew() {
        forget()
        isRenewed = true
    }

    // MARK: - Followers

    /// Why somebody may not do what takes a role, if so. `nil` rules are to be learnt first.
    func refusal(of visitor: Visitor, least: Role, under rules: RoomRules) -> WireError? {
        let role = rules.standing(of: visitor.user).role(granted: visitor.grant)
        return role >= least ? nil : .notGranted(least, in: room, role)
    }

    /// - Returns: what to tell of what it may do, if that is not what a client takes for granted.
    mutating func admit(_ reader: Reader, _ visitor: Visitor, to list: ListName) -> ServerFrame? {
        var follower = Follower(visitor: visitor, since: revision)
        let known = followers[list.followed]?[reader]?.told ?? RoomStanding()
        if case .messages = list, let rules { follower.told = rules.told(visitor) }
        followers[list.followed, default: [:]][reader] = follower
        return follower.told == known ? nil : .standing(room, follower.told)
    }

    mutating func regrant(_ reader: Reader, _ list: ListName, _ grant: Role) {
        guard let visitor = followers[list.followed]?[reader]?.visitor else { return }
        followers[list.followed]?[reader]?.visitor = visitor.granted(grant)
        isDue = true
    }

    mutating func leave(_ reader: Reader, _ list: ListName) {
        followers[list.followed]?[reader] = nil
    }

    /// Why what a follower of the messages says would not be taken at a time, if so.
    func silence(of reader: Reader, at time: Milliseconds) -> WireError? {
        guard let rules, let visitor = followers[.messages]?[reader]?.visitor else { return nil }
        do throws(Refusal) {
            try rules.requireVoice(of: visitor.user, granted: visitor.grant, at: time)
            return nil
        } catch {
            return WireError(error, in: room)
        }
    }

    // MARK: - Changes of the rules

    enum Change {
        case end(Reader, ListName, visit: UInt64, ServerFrame.Ending)
        case tell(Reader, ServerFrame)
    }

    /// Who may not stay, and who may do something else than before.
    ///
    /// - Complexity: O(followers × log(followers)) after a change, else O(1).
    mutating func review() -> [Change] {
        guard isDue, let rules else { return [] }
        isDue = false
        var changes: [Change] = []
        for followed in Followed.allCases {
            for (reader, follower) in (followers[followed] ?? [:]).sorted(by: { $0.key < $1.key }) {
                let list = followed.list(of: room)
                if let ending = ending(of: follower, under: rules) {
                    followers[followed]?[reader] = nil
                    changes.append(.end(reader, list, visit: follower.visitor.visit, ending))
                } else if followed == .messages, rules.told(follower.visitor) != follower.told {
                    followers[followed]?[reader]?.told = rules.told(follower.visitor)
                    changes.append(.tell(reader, .standing(room, rules.told(follower.visitor))))
                }
            }
        }
        return changes
    }

    private func ending(of follower: Follower, under rules: RoomRules) -> ServerFrame.Ending? {
        let standing = rules.standing(of: follower.visitor.user)
        let role = standing.role(granted: follower.visitor.grant)
        if role < .read { return standing.isBanned ? .banned(from: room) : .forbidden(room) }
        return standing.kicked > follower.since && role < .own ? .kicked(from: room) : nil
    }
}

extension AccessControl.Followed {
    fileprivate func list(of room: RoomName) -> ListName {
        switch self {
        case .messages: .messages(room)
        case .members: .members(room)
        }
    }
}

extension ListName {
    fileprivate var followed: AccessControl.Followed {
        switch self {
        case .messages: .messages
        case .members: .members
        }
    }
}

extension RoomRules {
    /// What a visitor's client is told.
    fileprivate func told(_ visitor: Visitor) -> RoomStanding {
        let standing = standing(of: visitor.user)
        return RoomStanding(
            role: standing.role(granted: visitor.grant), mutedUntil: standing.mutedUntil, slowMode: slowMode,
            isReadOnly: isReadOnly)
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
