public import ChatWire

/// A room's record of one user, beyond what a token grants.
public struct Standing: Equatable, Sendable {
    /// The role to which an owner appointed the user; `none` for no appointment.
    public var role: Role
    /// The end of the user's mute, in the store's time; 0 if the user was never muted.
    public var mutedUntil: Milliseconds
    public var isBanned: Bool
    /// The revision at which the user was last kicked; 0 if never.
    public var kicked: Revision

    public init(role: Role = .none, mutedUntil: Milliseconds = 0, isBanned: Bool = false, kicked: Revision = 0) {
        self.role = role
        self.mutedUntil = mutedUntil
        self.isBanned = isBanned
        self.kicked = kicked
    }

    /// Returns the role in which a user with this standing acts in a room of some kind. Nothing else decides it.
    ///
    /// In an open room it is the higher of both roles. In a private or direct room it is the appointment, whatever a
    /// grant of at least `read` says; under a lower grant there is none. A banned user has none, unless it owns the room.
    public func role(granted: Role, in kind: RoomName.Kind) -> Role {
        let role =
            switch kind {
            case .open: max(granted, self.role)
            case .private, .direct: granted >= .read ? self.role : .none
            }
        return isBanned && role < .own ? .none : role
    }

    /// True for a member of a private or direct room, and for an invited user: those who are appointed and not banned.
    ///
    /// In these rooms membership and appointment come and go together.
    public var isAdmitted: Bool { role >= .read && !isBanned }
}

/// A room's rules for all users, folded from its operations.
public struct RoomConfiguration: Equatable, Sendable {
    /// The kind of the room, which decides what a grant is worth.
    public let kind: RoomName.Kind
    /// True for the rules that a thread has from its room.
    public let isOfThread: Bool
    /// The least time between two messages of one user; 0 for none.
    public var slowMode: Milliseconds
    public var isReadOnly: Bool
    public var title: RoomTitle?
    public var topic: RoomTopic?
    public var picture: Picture?
    public var pins: Pins

    public init(
        of kind: RoomName.Kind, slowMode: Milliseconds = 0, isReadOnly: Bool = false, title: RoomTitle? = nil,
        topic: RoomTopic? = nil, picture: Picture? = nil, pins: Pins = Pins(), isOfThread: Bool = false
    ) {
        self.kind = kind
        self.isOfThread = isOfThread
        self.slowMode = slowMode
        self.isReadOnly = isReadOnly
        self.title = title
        self.topic = topic
        self.picture = picture
        self.pins = pins
    }

    /// The same rules in the room's threads, which have no pins and no slow mode.
    package var inThreads: RoomConfiguration {
        RoomConfiguration(
            of: kind, isReadOnly: isReadOnly, title: title, topic: topic, picture: picture, isOfThread: true)
    }

    /// Applies the effect of an operation in the room.
    public mutating func apply(_ change: RowChange) {
        switch change {
        case .created(_, let title), .ruled(.title(let title)): self.title = title
        case .ruled(.slowMode(let span)): slowMode = isOfThread ? 0 : span
        case .ruled(.readOnly(let isReadOnly)): self.isReadOnly = isReadOnly
        case .ruled(.topic(let topic)): self.topic = topic
        case .ruled(.picture(let picture)): self.picture = picture
        case .ruled(.pins(let pins)): self.pins = isOfThread ? Pins() : pins
        case .deleted(let id, _): _ = pins.remove(id)
        case .ruled(.standing), .affiliated, .inserted, .reloaded, .reconfigured, .joined, .left, .settings,
            .nothing:
            break
        }
    }
}

/// A room's rules, folded from its operations as its rows are: its configuration, and the standings of all or some users.
public struct RoomRules: Equatable, Sendable {
    public var configuration: RoomConfiguration
    /// The standings that differ from the default.
    public var standings: [UserName: Standing]
    /// The users to whom ``standings`` is confined; `nil` if it has all.
    public let scope: Set<UserName>?

    /// - Parameter scope: the users to whom `standings` is confined; `nil` if it has all.
    public init(
        _ configuration: RoomConfiguration, standings: [UserName: Standing], of scope: Set<UserName>? = nil
    ) {
        self.configuration = configuration
        self.standings = standings
        self.scope = scope
    }

    public init(
        of kind: RoomName.Kind, slowMode: Milliseconds = 0, isReadOnly: Bool = false, title: RoomTitle? = nil,
        topic: RoomTopic? = nil, picture: Picture? = nil, standings: [UserName: Standing] = [:]
    ) {
        let configuration = RoomConfiguration(
            of: kind, slowMode: slowMode, isReadOnly: isReadOnly, title: title, topic: topic, picture: picture)
        self.init(configuration, standings: standings)
    }

    public var kind: RoomName.Kind { configuration.kind }

    /// The same rules in the room's threads.
    package var inThreads: RoomRules { RoomRules(configuration.inThreads, standings: standings, of: scope) }

    public var slowMode: Milliseconds {
        get { configuration.slowMode }
        set { configuration.slowMode = newValue }
    }

    public var isReadOnly: Bool {
        get { configuration.isReadOnly }
        set { configuration.isReadOnly = newValue }
    }

    public var title: RoomTitle? { configuration.title }
    public var topic: RoomTopic? { configuration.topic }
    public var picture: Picture? { configuration.picture }

    /// - Precondition: the user is in the scope.
    public func standing(of user: UserName) -> Standing {
        precondition(scope?.contains(user) ?? true, "the standing of \(user) was not read")
        return standings[user] ?? Standing()
    }

    /// Returns the role in which a user acts.
    public func role(of user: UserName, granted: Role) -> Role {
        standing(of: user).role(granted: granted, in: kind)
    }

    /// The people of a direct room, in the order of their names' bytes; empty for another room.
    package var people: [UserName] {
        kind == .direct ? standings.filter { $1.role >= .read }.keys.sorted() : []
    }

    /// Applies the effect of an operation.
    ///
    /// - Complexity: O(standings that change).
    public mutating func apply(_ change: RowChange) {
        configuration.apply(change)
        for (user, standing) in change.standings { set(standing, of: user) }
    }

    private mutating func set(_ standing: Standing, of user: UserName) {
        standings[user] = standing == Standing() ? nil : standing
    }
}

/// The instants at which people last sent something, which a room keeps in slow mode.
package struct LastSends: Equatable, Sendable {
    private var times: [UserName: Milliseconds] = [:]

    package init() {}

    package subscript(user: UserName) -> Milliseconds? { times[user] }

    package var count: Int { times.count }

    /// Removes instants that no longer count.
    package mutating func remove(where isStale: (Milliseconds) -> Bool) {
        times = times.filter { !isStale($0.value) }
    }

    /// Applies the effect of an operation.
    ///
    /// - Parameter configuration: the room's before.
    package mutating func apply(_ change: RowChange, under configuration: RoomConfiguration) {
        switch change {
        case .inserted(let row, let instant, _): if configuration.slowMode > 0 { times[row.author] = instant }
        case .ruled(.slowMode(0)): times = [:]
        case .ruled, .affiliated, .created, .reloaded, .reconfigured, .deleted, .joined, .left, .settings, .nothing:
            break
        }
    }
}

extension FoldBase {
    /// Returns the change that a moderation makes to the rules; `nil` if it makes none.
    ///
    /// - Parameters:
    ///   - instant: the instant of the moderation.
    ///   - revision: the revision that the moderation gets.
    func change(_ moderation: Moderation, at instant: Milliseconds, _ revision: Revision) -> RuleChange? {
        switch moderation {
        case .slowMode(let span): return span == configuration.slowMode ? nil : .slowMode(span)
        case .readOnly(let direction):
            return (direction == .on) == configuration.isReadOnly ? nil : .readOnly(direction == .on)
        case .title(let title): return title == configuration.title ? nil : .title(title)
        case .topic(let topic): return topic == configuration.topic ? nil : .topic(topic)
        case .picture(let picture): return picture == configuration.picture ? nil : .picture(picture)
        case .mute(let user, let span): return change(user) { $0.mutedUntil = instant + span }
        case .unmute(let user): return change(user) { $0.mutedUntil = 0 }
        case .kick(let user): return change(user) { $0.kicked = revision }
        case .ban(let user): return change(user) { $0.isBanned = true }
        case .unban(let user): return change(user) { $0.isBanned = false }
        case .appoint(let user, let role): return change(user) { $0.role = role }
        case .invite(let user): return change(user) { $0.role = max($0.role, .write) }
        case .unpin(let id):
            var pins = configuration.pins
            return pins.remove(id) ? .pins(pins) : nil
        case .pin: preconditionFailure("what pins a message depends on the message, too")
        }
    }

    private func change(_ user: UserName, _ body: (inout Standing) -> Void) -> RuleChange? {
        let before = standing(of: user)
        var standing = before
        body(&standing)
        return standing == before ? nil : .standing(user, standing)
    }
}

/// The effect of one operation on the rules.
public enum RuleChange: Equatable, Sendable {
    case standing(UserName, Standing)
    case slowMode(Milliseconds)
    case readOnly(Bool)
    case title(RoomTitle?)
    case topic(RoomTopic?)
    case picture(Picture?)
    case pins(Pins)
}
