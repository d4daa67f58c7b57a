import ChatClient
import ChatWire
import JSON
import TerminalUI

/// Returns a line for each message that mentions the user, the newest last.
///
/// - Parameter clock: returns the text for a time.
func linesForPeople(_ view: MentionsView, _ labels: RoomLabels, clock: (Milliseconds) -> String) -> [String] {
    let lines = view.mentions.map { lineForPeople($0, labels, clock: clock) }
    return lines.isEmpty ? ["no message mentions you"] : lines
}

func lineForPeople(_ mention: MyMention, _ labels: RoomLabels, clock: (Milliseconds) -> String) -> String {
    let place = "\(clock(mention.time)) \(labels[mention.id.room].sentence)"
    let line = "\(place): \(mention.author): \(Markdown.withoutMarks(mention.light.text)) (\(mention.id.message))"
    return "\(mention.light.isRead ? " " : "*") \(line.inOneLine)"
}

/// Returns the messages that mention the user as a line for programs: `{"change":"mentions","mentions":[{…}]}`, the newest
/// last. A message is written as in the protocol.
func jsonLine(for view: MentionsView) -> String {
    #"{"change":"mentions","mentions":[\#(json(view.mentions))]}"# + "\n"
}

/// Returns older ones as such a line, with `more`: whether there may be still older ones.
func jsonLine(older mentions: [MyMention], hasOlder: Bool) -> String {
    #"{"change":"older mentions","mentions":[\#(json(mentions))],"more":\#(hasOlder)}"# + "\n"
}

private func json(_ mentions: [MyMention]) -> String {
    let rows = mentions.map { mention in
        var row = JSONWriter()
        mention.write(to: &row)
        return String(decoding: row.bytes, as: UTF8.self)
    }
    return rows.joined(separator: ",")
}
