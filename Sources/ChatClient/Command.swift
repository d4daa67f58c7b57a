public import ChatWire

/// Something that a person wants done, under a name that makes saying it twice do it once.
public struct Command: Equatable, Sendable {
    /// For a message, its id.
    public let id: CommandID
    public let room: RoomName
    public let action: Action

    public enum Action: Equatable, Sendable {
        case send(text: String, replyTo: MessageID?)
        case edit(MessageID, text: String)
        case delete(MessageID)
        case react(MessageID, emoji: String, ClientFrame.Switch)
        case moderate(Moderation)
    }

    public init(id: CommandID, room: RoomName, action: Action) {
        self.id = id
        self.room = room
        self.action = action
    }

    /// What became of it.
    public enum Outcome: Equatable, Sendable {
        /// It is durable. Where its effect is to be seen, if it had one.
        case done(ServerFrame.Effect?)
        /// It was not carried out, and will not be.
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
        }
    }

    /// The message that must be there for this to make sense.
    var target: MessageID? {
        switch action {
        case .send(_, let replyTo): replyTo
        case .edit(let message, _), .delete(let message), .react(let message, _, _): message
        case .moderate: nil
        }
    }

    var isSend: Bool {
        if case .send = action { true } else { false }
    }

    /// What the server would say to this; said here, because a frame over its limit would cost the connection.
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
        case .delete, .moderate: break
        }
        return nil
    }

    /// The bytes of what is sent; 0 where it is known without looking that they are few enough.
    private func frameSize(text size: Int, _ limits: WireLimits) -> Int {
        let (longestEscape, allElse) = (6, 1_024)
        guard longestEscape * size + allElse > limits.frame else { return 0 }
        return ClientFrame(ref: 1 << 53 - 1, request: request).json.count
    }
}
