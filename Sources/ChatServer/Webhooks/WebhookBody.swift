import ChatRoom
import ChatWire
import JSON
import RoomStore

/// The body of a post: consecutive operations of one room, as one JSON object.
struct WebhookBody {
    let bytes: [UInt8]
    /// The id of the post. It is the same for the same operations, and contains no full stop.
    let id: String
    /// The revision of the last operation.
    let revision: Revision
    /// The number of operations without members' own settings, summaries, and without joins and leaves that changed nothing.
    let count: Int

    /// The most operations, and the size in bytes at which no more are added.
    static let limits = (operations: 100, bytes: 256 << 10)

    /// - Parameter operations: at least one; the first of them that fit are taken.
    init(_ operations: [CommittedOperation], of room: RoomName, _ epoch: Epoch) {
        var json = JSONWriter(capacity: 4_096)
        var (last, count): (Revision, Int) = (0, 0)
        json.object { json in
            json.string("type", "operations")
            json.string("room", room.description)
            json.string("epoch", epoch.description)
            json.array("operations", operations) { json, committed in
                guard last == 0 || json.bytes.count < Self.limits.bytes else { return }
                last = committed.revision
                guard committed.operation.action.isForWebhooks, !committed.changesNothing else { return }
                json.object { committed.write(to: &$0) }
                count += 1
            }
        }
        bytes = json.bytes
        (revision, self.count) = (last, count)
        let name = room.description.replacing(".", with: ":")
        id = "\(epoch)_\(name)_\(operations[0].revision)_\(last)"
    }
}

extension CommittedOperation {
    /// Writes the operation as the frame that asked for it, with its revision, time and author.
    fileprivate func write(to json: inout JSONWriter) {
        json.number("revision", revision)
        json.number("time", operation.time)
        json.string("author", operation.author.description)
        switch operation.action {
        case .send(let content):
            json.string("type", "send")
            json.id("id", operation.command)
            content.write(to: &json)
        case .edit(let id, let edit):
            write("edit", of: id, to: &json)
            edit.write(to: &json)
        case .grow(let id, let step):
            write(step.kind, of: id, to: &json)
            step.write(to: &json)
        case .delete(let id):
            write("delete", of: id, to: &json)
        case .react(let id, let emoji, let direction):
            write("react", of: id, to: &json)
            json.string("emoji", emoji)
            json.boolean("on", direction == .on)
        case .moderate(let moderation):
            json.string("type", "moderate")
            json.id("command", operation.command)
            moderation.write(to: &json)
        case .join:
            json.string("type", "joined")
        case .leave:
            json.string("type", "left")
        case .settings, .summarize: break  // left out
        case .create(let new):
            json.string("type", "created")
            json.id("command", operation.command)
            new.write(to: &json)
        }
    }

    private func write(_ type: String, of id: MessageID, to json: inout JSONWriter) {
        json.string("type", type)
        json.id("command", operation.command)
        json.id("id", id)
    }
}
