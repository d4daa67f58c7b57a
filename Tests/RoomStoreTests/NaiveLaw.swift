import ChatRoom
import ChatWire

/// A room's rules and rights in the simplest form. It shares nothing with the fold.
struct NaiveLaw {
    private var roles: [UserName: Role] = [:]
    private var mutes: [UserName: Milliseconds] = [:]
    private var banned: Set<UserName> = []
    private var kicks: [UserName: Revision] = [:]
    private var slow: Milliseconds = 0
    private var isReadOnly = false
    private var title: RoomTitle?
    private var topic: RoomTopic?
    private var picture: Picture?
    private var sends: [UserName: Milliseconds] = [:]
    private var pinned: [(id: MessageID, sort: UInt64)] = []
    private let mostPins: Int

    init(mostPins: Int) {
        self.mostPins = mostPins
    }

    func role(of operation: Operation) -> Role {
        let roles = [operation.role, self.roles[operation.author] ?? .none].sorted()
        return banned.contains(operation.author) && roles[1] != .own ? .none : roles[1]
    }

    func allows(_ operation: Operation, _ list: [Message]) -> Bool {
        let role = role(of: operation)
        let maySpeak =
            role == .own || role == .moderate && (mutes[operation.author] ?? 0) <= operation.time
            || role == .write && (mutes[operation.author] ?? 0) <= operation.time && !isReadOnly
        switch operation.action {
        case .send(let content):
            guard !content.mentions.everyone || role >= .moderate else { return false }
            guard maySpeak, role == .write, slow > 0, let last = sends[operation.author] else { return maySpeak }
            return operation.time >= last + slow || operation.time < last
        case .join:
            return role >= .read && !banned.contains(operation.author)
        case .leave, .settings:
            return role >= .read
        case .edit(let id, let content):
            let isCalled = list.contains { $0.id == id && $0.mentions.everyone }
            return maySpeak && (!content.mentions.everyone || role >= .moderate || isCalled)
        case .react, .grow(_, .append):
            return maySpeak
        case .summarize:
            return true
        case .grow(_, .close):
            return role >= .write
        case .delete(let id):
            guard let message = list.first(where: { $0.id == id }) else { return role >= .write }
            return role >= (message.author == operation.author ? .write : .moderate)
        case .moderate(.appoint(let user, _)):
            return role == .own && user != operation.author
        case .create, .moderate(.invite):
            return false
        case .moderate(let moderation):
            guard role >= .moderate, moderation.user != operation.author else { return false }
            switch moderation {
            case .mute(let user, _), .kick(let user), .ban(let user): return roles[user] ?? .none < role
            case .pin(let id, let place): return allowsToPin(id, place, list)
            case .unmute, .unban, .slowMode, .readOnly, .appoint, .invite, .title, .topic, .picture, .unpin: return true
            }
        }
    }

    private func allowsToPin(_ id: MessageID, _ place: PinPlace, _ list: [Message]) -> Bool {
        guard list.contains(where: { $0.id == id }) else { return false }
        let others = pinned.map(\.id).filter { $0 != id }
        switch place {
        case .last: break
        case .before(let other), .after(let other): if !others.contains(other) { return false }
        }
        return others.count < mostPins
    }

    private mutating func pin(_ id: MessageID, _ place: PinPlace, _ list: [Message]) {
        if place == .last, pinned.contains(where: { $0.id == id }) { return }
        pinned.removeAll { $0.id == id }
        let entry = (id: id, sort: list.first { $0.id == id }!.sort)
        switch place {
        case .last: pinned.append(entry)
        case .before(let other): pinned.insert(entry, at: pinned.firstIndex { $0.id == other }!)
        case .after(let other): pinned.insert(entry, at: pinned.firstIndex { $0.id == other }! + 1)
        }
    }

    /// The pinned messages as a store returns them, but for their places.
    func pins(at places: [UInt64], from start: UInt64) -> Pins? {
        let pinned = pinned.filter { $0.sort >= start }
        guard pinned.count == places.count else { return nil }
        return Pins(zip(pinned, places).map { Pins.Entry(message: $0.id, sort: $0.sort, place: $1) })
    }

    /// - Parameter list: the messages before the operation.
    mutating func take(_ operation: Operation, at revision: Revision, _ list: [Message]) {
        switch operation.action {
        case .delete(let id): pinned.removeAll { $0.id == id }
        case .moderate(.pin(let id, let place)): pin(id, place, list)
        case .moderate(.unpin(let id)): pinned.removeAll { $0.id == id }
        case .send: if slow > 0 { sends[operation.author] = operation.time }
        case .edit, .grow, .react, .summarize, .join, .leave, .settings, .create, .moderate(.invite): break
        case .moderate(.mute(let user, let span)): mutes[user] = operation.time + span
        case .moderate(.unmute(let user)): mutes[user] = nil
        case .moderate(.kick(let user)): kicks[user] = revision
        case .moderate(.ban(let user)): banned.insert(user)
        case .moderate(.unban(let user)): banned.remove(user)
        case .moderate(.slowMode(let span)): (slow, sends) = (span, span == 0 ? [:] : sends)
        case .moderate(.readOnly(let direction)): isReadOnly = direction == .on
        case .moderate(.title(let title)): self.title = title
        case .moderate(.topic(let topic)): self.topic = topic
        case .moderate(.picture(let picture)): self.picture = picture
        case .moderate(.appoint(let user, let role)): roles[user] = role == .none ? nil : role
        }
    }

    /// The rules as a store returns them.
    var rules: RoomRules {
        let users = Set(roles.keys).union(mutes.keys).union(banned).union(kicks.keys)
        let standings = users.map { user in
            let standing = Standing(
                role: roles[user] ?? .none, mutedUntil: mutes[user] ?? 0, isBanned: banned.contains(user),
                kicked: kicks[user] ?? 0)
            return (user, standing)
        }
        return RoomRules(
            of: .open, slowMode: slow, isReadOnly: isReadOnly, title: title, topic: topic, picture: picture,
            standings: Dictionary(uniqueKeysWithValues: standings))
    }
}
