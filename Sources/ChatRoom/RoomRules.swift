public import ChatWire

/// What a room holds about one user, beyond what a token says.
public struct Standing: Equatable, Sendable {
    /// What an owner appointed the user to; `none` if to nothing.
    public var role: Role
    /// No writing before this time; 0 for who was never muted.
    public var mutedUntil: Milliseconds
    public var isBanned: Bool
    /// The revision at which the user was last put out; 0 for who never was.
    public var kicked: Revision

    public init(role: Role = .none, mutedUntil: Milliseconds = 0, isBanned: Bool = false, kicked: Revision = 0) {
        self.role = role
        self.mutedUntil = mutedUntil
        self.isBanned = isBanned
        self.kicked = kicked
    }

    /// As what somebody with this standing acts: the higher of both roles, and nothing at all for the banned, unless
    /// they own the room.
    public func role(granted: Role) -> Role {
        let role = max(granted, self.role)
        return isBanned && role < .own ? .none : role
    }
}

/// What holds in a room: folded from its operations, as its rows are.
///
/// One that was read along with rows is whole but for ``lastSends``; one that a single operation is judged by may have
/// no other standings than its author's and that of whom it is done to.
public struct RoomRules: Equatable, Sendable {
    /// The least time between two messages of one user; 0 for none.
    public var slowMode: Milliseconds
    public var isReadOnly: Bool
    /// Of everybody whose standing is any but the usual one.
    public var standings: [UserName: Standing]
    /// When users sent last; noted while there is slow mode.
    public var lastSends: [UserName: Milliseconds]

    public init(
        slowMode: Milliseconds = 0, isReadOnly: Bool = false, standings: [UserName: Standing] = [:],
        lastSends: [UserName: Milliseconds] = [:]
    ) {
        self.slowMode = slowMode
        self.isReadOnly = isReadOnly
        self.standings = standings
        self.lastSends = lastSends
    }

    public func standing(of user: UserName) -> Standing {
        standings[user] ?? Standing()
    }

    /// Folds in what an operation did.
    ///
    /// - Complexity: O(1), but O(``lastSends``) for the end of slow mode.
    public mutating func apply(_ change: RowChange) {
        switch change {
        case .inserted(let row):
            if slowMode > 0 { lastSends[row.author] = row.time }
        case .ruled(.standing(let user, let standing)):
            standings[user] = standing == Standing() ? nil : standing
        case .ruled(.slowMode(let span)):
            slowMode = span
            if span == 0 { lastSends = [:] }
        case .ruled(.readOnly(let isReadOnly)):
            self.isReadOnly = isReadOnly
        case .reloaded, .reconfigured, .deleted, .nothing:
            break
        }
    }

    /// What a moderation makes of them; `nil` if it is so already.
    ///
    /// - Parameters:
    ///   - time: when the server took it.
    ///   - revision: the one that it gets.
    func change(_ moderation: Moderation, at time: Milliseconds, _ revision: Revision) -> RuleChange? {
        switch moderation {
        case .slowMode(let span): return span == slowMode ? nil : .slowMode(span)
        case .readOnly(let direction): return (direction == .on) == isReadOnly ? nil : .readOnly(direction == .on)
        case .mute(let user, let span): return change(user) { $0.mutedUntil = time + span }
        case .unmute(let user): return change(user) { $0.mutedUntil = 0 }
        case .kick(let user): return change(user) { $0.kicked = revision }
        case .ban(let user): return change(user) { $0.isBanned = true }
        case .unban(let user): return change(user) { $0.isBanned = false }
        case .appoint(let user, let role): return change(user) { $0.role = role }
        }
    }

    private func change(_ user: UserName, _ body: (inout Standing) -> Void) -> RuleChange? {
        let before = standing(of: user)
        var standing = before
        body(&standing)
        return standing == before ? nil : .standing(user, standing)
    }
}

/// What one operation did to the rules.
public enum RuleChange: Equatable, Sendable {
    case standing(UserName, Standing)
    case slowMode(Milliseconds)
    case readOnly(Bool)
}
