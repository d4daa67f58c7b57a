import ChatClient
import ChatWire
import JSON
import Replicas

/// Returns a change as lines for programs: `{"change":"inserted","why":"live","room":"lobby","message":{…}}`.
///
/// The message is written as in the protocol, with its section. A new gap is
/// `{"change":"gap","why":"caughtUp","room":"lobby","gap":{"after":40,"before":9950,"messages":9909}}`: the sort keys that
/// it lies between, and the number of messages if that is known. Messages that fill it are inserted ones.
func jsonLines(for change: RoomChange) -> String {
    var text = ""
    for entry in change.entries {
        // None of these names needs an escape.
        let end = #","why":"\#(change.cause.name)","room":"\#(change.room)""#
        var row = JSONWriter()
        switch entry {
        case .message(let kind, let message):
            message.write(to: &row, in: message.section)
            text += #"{"change":"\#(kind.rawValue)"\#(end),"message":"#
        case .gap(let gap):
            gap.write(to: &row, messages: change.view.missing)
            text += #"{"change":"gap"\#(end),"gap":"#
        }
        text += String(decoding: row.bytes, as: UTF8.self) + "}\n"
    }
    return text
}

extension ListGap {
    fileprivate func write(to json: inout JSONWriter, messages: Int?) {
        json.object { json in
            json.number("after", after)
            json.number("before", before)
            if let messages { json.number("messages", UInt64(messages)) }
        }
    }
}

extension RoomChange.Cause {
    /// The name in objects for programs.
    var name: String {
        switch self {
        case .subscribed: "subscribed"
        case .live: "live"
        case .snapshot: "snapshot"
        case .caughtUp: "caughtUp"
        case .page(.older): "older"
        case .page(.gap): "filled"
        case .page(.around): "around"
        }
    }
}
