import ChatClient
import ChatWire
import Foundation
import JSON
import TerminalUI

/// Returns a line for each message and reminder of the user for later, those that are due first.
///
/// - Parameter clock: returns the text for a time.
func linesForPeople(_ view: LaterItemsView, _ labels: RoomLabels, clock: (Milliseconds) -> String) -> [String] {
    let lines = (view.due + view.waiting).map { item in
        let time = clock(item.light.plan.at)
        return "\(item.section == .due ? "due" : "at") \(time) \(item.phrase(labels)) (\(item.id.shortText))".inOneLine
    }
    let all = lines + (view.missing.isEmpty ? [] : ["Some of them cannot be loaded now."])
    return all.isEmpty ? ["nothing is kept for later: /schedule WHEN TEXT, or /remind WHEN"] : all
}

/// Returns the user's messages and reminders for later as a line for programs:
/// `{"change":"later","due":[{…}],"waiting":[{…}]}`. An item is written as in the protocol.
func jsonLine(for view: LaterItemsView) -> String {
    var json = JSONWriter()
    json.object { json in
        json.string("change", "later")
        json.array("due", view.due) { $1.write(to: &$0) }
        json.array("waiting", view.waiting) { $1.write(to: &$0) }
    }
    return String(decoding: json.bytes, as: UTF8.self) + "\n"
}

extension LaterItem {
    /// The action and its room: `'good morning' to room lobby`, `reminder of a message in room lobby`. The reason why a message
    /// was not sent comes first, because a narrow screen cuts the end.
    ///
    /// - Parameter text: of the message to be reminded of, if it is here.
    func phrase(_ labels: RoomLabels, message text: String? = nil) -> String {
        let room = labels[light.plan.room].phrase
        let refusal = light.refusal.map { "not sent, \($0.message): " } ?? ""
        return switch light.plan.action {
        case .send(let content): "\(refusal)'\(content.text)' to \(room)"
        case .remind: text.map { "reminder of '\($0)' in \(room)" } ?? "reminder of a message in \(room)"
        }
    }

    var isReminder: Bool { if case .remind = light.plan.action { true } else { false } }
}

extension LaterItem.Plan {
    /// The answer to a line that the server has stored.
    ///
    /// - Parameter now: the present time of day.
    func confirmation(at now: Milliseconds) -> String {
        switch action {
        case .send: at <= now ? "it is sent now" : "will be sent at \(laterTime(at))"
        case .remind: "you will be reminded at \(laterTime(at))"
        }
    }
}

/// Returns the time of an item: `9:00` today, else with the date.
func laterTime(_ time: Milliseconds) -> String {
    let clock = WallClock()
    return (clock.isSameDay(time, .timeOfDay) ? "" : clock.date(time) + " ") + clock.time(time)
}

extension Welcome {
    /// The time by which the server's clock is ahead of this machine's.
    var clockLead: Milliseconds { time.map { $0 - .timeOfDay } ?? 0 }
}

extension Milliseconds {
    /// The time of day by this machine's clock.
    static var timeOfDay: Milliseconds { Milliseconds(Date.now.timeIntervalSince1970 * 1_000) }
}

extension UniqueID {
    /// The beginning of the id, by which a person names it.
    var shortText: String { String(description.prefix(8)) }
}
