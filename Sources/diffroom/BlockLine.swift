import ChatClient
import ChatWire
import JSON
import TerminalUI

/// A line about the users whom the user blocks.
enum BlockLine: Equatable {
    /// Lists them.
    case list
    case change(UserName, ClientFrame.Switch)

    static let manual = """
          /block NAME       block a user: no direct rooms, invitations and mentions of theirs reach you, and they are not told
          /block            list the users whom you block; /unblock NAME
        """

    /// Reads such a line; `nil` for a command of another kind.
    ///
    /// - Throws: the remedy.
    init?(command: String, _ rest: String) throws(InputError) {
        let text = rest.trimmed
        switch command {
        case "block" where text.isEmpty: self = .list
        case "block": self = .change(try RoomLine.user(text, "/block, or /block NAME"), .on)
        case "unblock": self = .change(try RoomLine.user(text, "/unblock NAME; /block shows whom you block"), .off)
        default: return nil
        }
    }
}

/// Returns the line that lists the users whom the user blocks.
func lineForPeople(_ view: BlockedView, _ people: PeopleLabels) -> String {
    let names = view.users.map { people.full($0.id) }
    let missing = view.missing.isEmpty ? "" : " (some of them cannot be loaded now)"
    return (names.isEmpty ? "you block nobody: /block NAME" : "you block \(names.joined(separator: ", "))") + missing
}

/// Returns the users whom the user blocks as a line for programs: `{"change":"blocked","users":[{…}]}`. A user is written as
/// in the protocol.
func jsonLine(for view: BlockedView) -> String {
    var json = JSONWriter()
    json.object { json in
        json.string("change", "blocked")
        json.array("users", view.users) { $1.write(to: &$0) }
    }
    return String(decoding: json.bytes, as: UTF8.self) + "\n"
}
