public import ChatWire

/// A change that a person wants made. Its id makes a repeat take effect once.
public struct Command: Equatable, Sendable {
    /// The command's id; for a message, the message's id.
    public let id: CommandID
    public let room: RoomName
    public let action: RoomAction

    public init(id: CommandID, room: RoomName, action: RoomAction) {
        self.id = id
        self.room = room
        self.action = action
    }

    /// The final outcome of a command.
    public enum Outcome: Equatable, Sendable {
        /// The command is durable. The effect tells where to see it, if it changed a list.
        case done(ServerFrame.Effect?)
        /// The command was not carried out, and will not be.
        case refused(WireError)
    }
}

extension Command {
    var request: ClientFrame.Request {
        switch action {
        case .send(let text, let replyTo): .send(room: room, id: id, text: text, replyTo: replyTo)
        case .edit(let message, let text): .edit(room: room, command: id, id: message, text: text)
        case .delete(let message): .delete(room: room, command: id, id: message)
        case .react(let message, let emoji, let onOff):
            .react(room: room, command: id, id: message, emoji: emoji, onOff)
        case .moderate(let moderation): .moderate(room: room, command: id, moderation)
        case .join: .join(room)
        case .leave: .leave(room)
        }
    }

    /// The message that must exist for this command to make sense.
    var target: MessageID? {
        switch action {
        case .send(_, let replyTo): replyTo
        case .edit(let message, _), .delete(let message), .react(let message, _, _): message
        case .moderate, .join, .leave: nil
        }
    }

    /// Returns whether the command means something else, or nothing, before the other one is carried out.
    ///
    /// A message must be there before it is changed, and of joins and leaves the last one counts.
    func depends(on other: Command) -> Bool {
        if case .send = other.action { return target == other.id }
        return room == other.room && action.isOfMembership && other.action.isOfMembership
    }

    /// Returns the error with which the server would refuse the command.
    ///
    /// The client checks it itself, because a frame over the server's limit would cost the connection.
    func violation(of limits: WireLimits) -> WireError? {
        switch action {
        case .send(let text, _), .edit(_, let text):
            let size = text.utf8.count
            if size > limits.text {
                return WireError(.tooLarge, "the text is \(size) bytes long; at most \(limits.text) are taken")
            }
            let frame = frameSize(text: size, limits)
            if frame > limits.frame {
                let most = "at most \(limits.frame) are taken at once"
                return WireError(.tooLarge, "with its escapes the text makes \(frame) bytes; \(most)")
            }
        case .react(_, let emoji, _):
            let size = emoji.utf8.count
            if size > limits.emoji {
                return WireError(.tooLarge, "the emoji is \(size) bytes long; at most \(limits.emoji) are taken")
            }
        case .delete, .moderate, .join, .leave: break
        }
        return nil
    }

    /// Returns the size of the frame in bytes; 0 if it is certainly below the limit.
    private func frameSize(text size: Int, _ limits: WireLimits) -> Int {
        let (longestEscape, allElse) = (6, 1_024)
        guard longestEscape * size + allElse > limits.frame else { return 0 }
        return ClientFrame(ref: 1 << 53 - 1, request: request).json.count
    }
}
