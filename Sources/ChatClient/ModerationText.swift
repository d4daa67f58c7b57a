public import ChatWire

// The texts of moderation for a person to read.

extension RoomStanding: CustomStringConvertible {
    public var description: String {
        var parts = ["you may \(role == .own ? "do everything" : role.description)"]
        if isReadOnly { parts.append("it is read-only") }
        if slowMode > 0 { parts.append("it is in slow mode, \(slowMode / 1_000) s between two messages") }
        if mutedFor > 0 { parts.append("you are muted for \((mutedFor - 1) / 1_000 + 1) s") }
        return parts.joined(separator: "; ")
    }
}

extension RoomStanding {
    /// Returns whether the rights are others, whatever the room's face is.
    package func isOther(than other: RoomStanding) -> Bool {
        var same = self
        (same.title, same.topic, same.picture) = (other.title, other.topic, other.picture)
        return same != other
    }
}

extension Moderation: CustomStringConvertible {
    public var description: String {
        switch self {
        case .mute(let user, let span): "mute \(user) for \(span / 1_000) s"
        case .unmute(let user): "unmute \(user)"
        case .kick(let user): "kick \(user)"
        case .ban(let user): "ban \(user)"
        case .unban(let user): "unban \(user)"
        case .slowMode(let span): span == 0 ? "end slow mode" : "slow mode, \(span / 1_000) s"
        case .readOnly(let direction): direction == .on ? "make it read-only" : "make it writable"
        case .appoint(let user, let role): "appoint \(user) to \(role)"
        case .invite(let user): "invite \(user)"
        case .title(let title): title.map { "call it \($0)" } ?? "take the title away"
        case .topic(let topic): topic.map { "make the topic \($0)" } ?? "take the topic away"
        case .picture(let picture): picture.map { "make the picture \($0)" } ?? "take the picture away"
        case .pin(let id, .last): "pin message \(id)"
        case .pin(let id, .before(let other)): "pin message \(id) before \(other)"
        case .pin(let id, .after(let other)): "pin message \(id) after \(other)"
        case .unpin(let id): "unpin message \(id)"
        }
    }
}

extension AuditEntry: CustomStringConvertible {
    public var description: String {
        switch deed {
        case .moderated(let moderation): "\(revision) \(author): \(moderation)"
        case .deleted(let id, let user): "\(revision) \(author): delete message \(id) of \(user)"
        case .created(let new):
            "\(revision) \(author): create it" + (new.people.isEmpty ? "" : " for \(RoomLabel.list(new.people))")
        }
    }
}

extension AuditPage {
    func text(of room: RoomLabel) -> String {
        guard !entries.isEmpty else { return "\(room.phrase): nothing in the audit log" }
        return entries.map { "\(room.phrase): \($0)" }.joined(separator: "\n")
    }
}
