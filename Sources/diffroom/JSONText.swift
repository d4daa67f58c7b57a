import ChatClient
import ChatWire
import JSON

/// Returns a change as lines for programs: `{"change":"inserted","why":"live","room":"lobby","message":{…}}`.
///
/// The message is written as in the protocol, with its section.
func jsonLines(for change: RoomChange) -> String {
    var text = ""
    for (kind, message) in change.list {
        var row = JSONWriter()
        message.write(to: &row, in: message.section)
        // None of these names needs an escape.
        text += #"{"change":"\#(kind.rawValue)","why":"\#(change.cause.name)","room":"\#(change.room)","message":"#
        text += String(decoding: row.bytes, as: UTF8.self) + "}\n"
    }
    return text
}

extension RoomChange.Cause {
    fileprivate var name: String {
        switch self {
        case .live: "live"
        case .snapshot: "snapshot"
        case .caughtUp: "caughtUp"
        case .older: "older"
        }
    }
}
