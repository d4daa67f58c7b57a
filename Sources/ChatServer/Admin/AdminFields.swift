import ChatWire
import JSON

/// The fields that a body of the admin API may have.
///
/// A client's frame may have fields that the server does not know, because it may be newer than the server. An operator's
/// misspelt field would be left out silently, so here it is an error.
enum AdminFields {
    /// - Parameter body: one that has been read without an error.
    /// - Throws: `bad_request` for a field that the resource does not know.
    static func check(_ body: [UInt8], of place: AdminPlace) throws(WireError) {
        guard let root = try? JSONTape(body).root else { return }
        let known = known(
            at: place, type: root["type"]?.string, action: root["action"]?.string, kind: root["kind"]?.string)
        for member in root.members where !known.contains(member.key) {
            let there = known.isEmpty ? "there are none" : "there are \(known.joined(separator: ", "))"
            let field = Quotation.clipped(member.key)
            throw WireError(.unknownField, "\(field): there is no such field here: \(there)", field: field)
        }
    }

    private static func known(at place: AdminPlace, type: String?, action: String?, kind: String?) -> [String] {
        switch place {
        case .operations: ["type", "author"] + known(to: type, action: action, kind: kind)
        case .closing: ["connection", "user", "reason", "comesBack"]
        case .profile: ["user", "name", "picture"]
        case .backup: ["name"]
        case .rebalance: ["seconds"]
        case .rooms, .room, .people, .audit, .members, .memberships, .blocks, .connections, .stats, .drain: []
        }
    }

    private static func known(to type: String?, action: String?, kind: String?) -> [String] {
        switch type {
        case "send": ["room", "id"] + MessageContent.fields
        case "edit": ["room", "command", "id"] + MessageContent.editedFields
        case "append": ["room", "command", "id", "at", "text"]
        case "close": ["room", "command", "id", "ended"]
        case "delete": ["room", "command", "id"]
        case "react": ["room", "command", "id", "emoji", "on"]
        case "moderate": ["room", "command", "action"] + known(toAction: action)
        case "create" where kind == "open": ["command", "kind", "room", "people", "title"]
        case "create" where kind == "direct": ["command", "kind", "people"]
        case "create": ["command", "kind", "people", "title"]
        default: ["room", "command"]
        }
    }

    private static func known(toAction action: String?) -> [String] {
        switch action {
        case "mute": ["user", "for"]
        case "slow": ["for"]
        case "readOnly": ["on"]
        case "appoint": ["user", "role"]
        case "title", "topic": ["text"]
        case "picture": ["url"]
        case "pin": ["message", "before", "after"]
        case "unpin": ["message"]
        default: ["user"]
        }
    }
}
