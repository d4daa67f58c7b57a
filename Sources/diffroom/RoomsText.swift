import ChatClient
import ChatWire
import JSON
import Replicas
import TerminalUI

/// Returns a line for each room that the user is invited to, and for each of the user's own. The pinned rooms come
/// first, in the user's order, then the others, newest message first, and at the end the rooms that were put away.
func linesForPeople(_ rooms: RoomsView) -> [String] {
    let lines =
        rooms.invitations.map { "\($0.invitation()) to \($0.label.sentence): /accept or /decline" }
        + rooms.memberships.map(line) + (rooms.missing.isEmpty ? [] : [partialRooms])
    return lines.isEmpty ? ["you are a member of no room: /join"] : lines.map(\.inOneLine)
}

/// The remark about a list of rooms that is not whole.
let partialRooms = "Some rooms cannot be loaded now."

/// Returns a line for each thread that the user follows, with its name, by which `--room` opens it.
func linesForPeople(threads: RoomsView, _ labels: RoomLabels) -> [String] {
    let lines = threads.memberships.map { thread in
        let root = thread.light.root.map { "'\($0.line())'" } ?? "a deleted message"
        return "\(labels[thread.id].description) under \(root): \(state(of: thread)) (\(thread.id))"
    }
    let all = lines + (threads.missing.isEmpty ? [] : ["Some threads cannot be loaded now."])
    return all.isEmpty ? ["you follow no thread: reply to a message, or /join a thread"] : all.map(\.inOneLine)
}

private func line(_ room: MyRoom) -> String { "\(room.label.sentence): \(state(of: room))" }

private func state(of room: MyRoom) -> String {
    let mentions = room.light.mentions == 0 ? "" : ", \(room.light.mentions.grouped) for you"
    let unread = room.light.unread == 0 ? "nothing unread" : "\(room.light.unread.grouped) unread\(mentions)"
    let settings = [
        room.section == .pinned ? "pinned" : room.section == .archived ? "archived" : nil,
        room.light.isMuted ? "silenced" : nil, room.light.isMarked ? "marked as unread" : nil,
    ]
    let set = settings.compactMap { $0.map { ", \($0)" } }.joined()
    let (here, typing) = (room.light.isHere ? ", there now" : "", room.light.isTyping ? ", being written in" : "")
    let last = room.light.last.map { "; \($0.line())" }
    return "\(unread)\(set)\(here)\(typing)\(last ?? "")"
}

extension MyRoom {
    /// The beginning of a sentence that says who invites the user. The inviter's user name is always in it, because
    /// a stranger may have the display name of a person whom the user trusts.
    func invitation(_ people: PeopleLabels = PeopleLabels()) -> String {
        light.inviter.map { "\(people.full($0)) invites you" } ?? "you are invited"
    }

    /// True when something in the room is unread, or the user has marked it so.
    var isUnread: Bool { section != .invited && (light.unread > 0 || light.isMarked) }

    /// True when the room has news to notify of.
    var isCalling: Bool { news > 0 || light.isMarked && section != .invited }
}

extension RoomLabel {
    /// The label in a line for people, with the name by which `--room` opens the room.
    var sentence: String { room.kind == .open ? phrase : "\(phrase) (\(room))" }
}

/// Returns a room that was made as a line for programs: `{"change":"made","room":"~5f0c…"}`.
func jsonLine(made room: RoomName) -> String {
    #"{"change":"made","room":"\#(room)"}"# + "\n"  // no name needs an escape
}

/// Returns the user's rooms as a line for programs: `{"change":"rooms","why":"asked","rooms":[{…}],"left":[]}`, the one in
/// which something was said last first. A room is written as in the protocol.
func jsonLine(for rooms: RoomsView) -> String {
    jsonLine(rooms.all, left: [], missing: rooms.missing, why: "asked")
}

/// Returns the threads that the user follows as such a line: `{"change":"threads","why":"asked","rooms":[{…}],"left":[]}`.
func jsonLine(threads: RoomsView) -> String {
    jsonLine(threads.all, of: "threads", left: [], missing: threads.missing, why: "asked")
}

/// Returns a change of the user's rooms as such a line: the rooms that are new or have changed, and those that are theirs
/// no longer.
func jsonLine(for change: RoomsChange) -> String {
    let touched = Set(change.changes.inserted + change.changes.moved + change.changes.reconfigured)
    let rooms = change.view.all.filter { touched.contains($0.id) }
    return jsonLine(rooms, left: change.changes.deleted, missing: change.view.missing, why: change.cause.name)
}

private func jsonLine(_ rooms: [MyRoom], of list: String = "rooms", left: [RoomName], missing: [Int], why: String)
    -> String
{
    let rows = rooms.map { room in
        var row = JSONWriter()
        room.write(to: &row, in: room.section)
        return String(decoding: row.bytes, as: UTF8.self)
    }
    // None of these names needs an escape.
    let names = left.map { #""\#($0)""# }
    let databases = missing.map(String.init).joined(separator: ",")
    let partial = missing.isEmpty ? "" : #","missing":{"databases":[\#(databases)]}"#
    return #"{"change":"\#(list)","why":"\#(why)","rooms":[\#(rows.joined(separator: ","))]"#
        + #","left":[\#(names.joined(separator: ","))]\#(partial)}"# + "\n"
}

extension LastMessage {
    /// Returns who said what, as far as that is known.
    func line(_ people: PeopleLabels = PeopleLabels()) -> String {
        let text = Markdown.withoutMarks(displayText)
        return author == .unknown ? text : "\(people[author]): \(text)"
    }
}
