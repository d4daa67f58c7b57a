public import ChatWire

/// A change that a person wants made. Its id makes a repeat take effect once.
///
/// ```swift
/// let join = Command(id: .random(), room: lobby, action: .join)
/// client.perform(join)
/// let subscription = client.answers.sink { answer in
///     if answer.command.id == join.id { print("joined: \(answer.outcome)") }
/// }
/// ```
public struct Command: Equatable, Sendable {
    /// The command's id; for a message, the message's id.
    public let id: CommandID
    /// `nil` for the creation of a direct room, whose name is in the answer.
    public let room: RoomName?
    public let action: RoomAction

    public init(id: CommandID, room: RoomName, action: RoomAction) {
        self.id = id
        self.room = room
        self.action = action
    }

    /// A command that creates a room.
    public init(id: CommandID, creating new: NewRoom) {
        self.id = id
        room =
            switch new {
            case .open(let name, _): name
            case .private: RoomName(privateRoomOf: id)
            case .direct: nil
            }
        action = .create(new)
    }

    /// The final outcome of a command.
    public enum Outcome: Equatable, Sendable {
        /// The command is durable. The effect names the changed list and revision, if there is one.
        case done(ServerFrame.Effect?)
        /// The command was not carried out, and will not be.
        case refused(WireError)
    }
}

extension Command {
    var request: ClientFrame.Request {
        if case .create(let new) = action { return .create(id, new) }
        guard let room else { preconditionFailure("\(action) in no room") }
        return request(in: room)
    }

    private func request(in room: RoomName) -> ClientFrame.Request {
        switch action {
        case .send(let content): .send(room: room, id: id, content)
        case .edit(let message, let edit): .edit(room: room, command: id, id: message, edit)
        case .grow(let message, let step): .grow(room: room, command: id, id: message, step)
        case .delete(let message): .delete(room: room, command: id, id: message)
        case .react(let message, let emoji, let onOff):
            .react(room: room, command: id, id: message, emoji: emoji, onOff)
        case .moderate(let moderation): .moderate(room: room, command: id, moderation)
        case .join: .join(room, command: id)
        case .leave: .leave(room, command: id)
        case .settings(let change): .settings(room, change, command: id)
        case .create(let new): .create(id, new)
        case .summarize: preconditionFailure("this violates the limits")
        }
    }

    /// The message that must exist for this command to make sense.
    var target: MessageID? {
        switch action {
        case .send(let content): content.replyTo
        case .edit(let message, _), .grow(let message, _), .delete(let message), .react(let message, _, _): message
        case .summarize, .moderate, .join, .leave, .settings, .create: nil
        }
    }

    /// Returns whether the command means something else, or nothing, before the other one is carried out.
    ///
    /// A room must be there before anything is done in it, a message before it is changed, and of joins, leaves and
    /// settings the last one counts. The pieces of a text have an order.
    func depends(on other: Command) -> Bool {
        if case .create = other.action { return room != nil && room == other.room }
        if case .send = other.action { return target == other.id }
        if case .grow = other.action { return target == other.target }
        return room == other.room && action.isOfMembership && other.action.isOfMembership
    }

    /// Returns the error with which the server would refuse the command.
    ///
    /// The client checks it itself, because a frame over the server's limit would cost the connection.
    func violation(of limits: WireLimits) -> WireError? {
        switch action {
        case .send(let content):
            var edit = ContentEdit(to: content)
            // An open message may begin without a text.
            if content.growth == .open, content.text.isEmpty { (edit.text, edit.data) = (nil, content.data ?? .empty) }
            return violation(of: edit, limits)
        case .edit(_, let edit): return violation(of: edit, limits)
        case .react(_, let emoji, _):
            let size = emoji.utf8.count
            if size > limits.emoji {
                return WireError(
                    .tooLong, "the emoji is \(size) bytes long; the limit is \(limits.emoji)", field: "emoji")
            }
        case .summarize: return WireError(.invalid, "only a server summarizes threads")
        case .grow, .delete, .moderate, .join, .leave, .settings, .create: break
        }
        return nil
    }

    private func violation(of edit: ContentEdit, _ limits: WireLimits) -> WireError? {
        if let error = edit.violation(of: limits) { return error }
        let frame = frameSize(edit, limits)
        guard frame > limits.frame else { return nil }
        let most = "a frame may have \(limits.frame)"
        return WireError(.frame, "with its escapes the text makes \(frame) bytes; \(most)")
    }

    /// - Returns: the size of the frame in bytes; 0 if it is certainly below the limit.
    private func frameSize(_ edit: ContentEdit, _ limits: WireLimits) -> Int {
        let (longestEscape, allElse) = (6, 1_024)
        guard longestEscape * edit.size + allElse > limits.frame else { return 0 }
        return ClientFrame(ref: 1 << 53 - 1, request: request).json.count
    }
}

extension ContentEdit {
    fileprivate func violation(of limits: WireLimits) -> WireError? {
        if mentions.people.count > limits.mentions {
            return WireError(
                .tooMany, "the text mentions \(mentions.people.count) people; the limit is \(limits.mentions)",
                field: "mentions")
        }
        if let data, data.bytes.count > limits.data {
            return WireError(
                .tooLong, "the data is \(data.bytes.count) bytes long; the limit is \(limits.data)", field: "data")
        }
        guard let text else {
            return data == nil ? WireError(.missing, "the edit changes neither text nor data", field: "text") : nil
        }
        if !text.hasSomethingToSee {
            return WireError(.invalid, "the text has no visible character", field: "text")
        }
        let size = text.utf8.count
        if size > limits.text {
            return WireError(.tooLong, "the text is \(size) bytes long; the limit is \(limits.text)", field: "text")
        }
        return nil
    }
}
