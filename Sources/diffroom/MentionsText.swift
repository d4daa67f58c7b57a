import ChatClient
import ChatWire
import JSON

/// Returns a line for each message that mentions the user, the newest last.
///
/// - Parameter clock: returns the text for a time.
func linesForPeople(_ view: MentionsView, _ labels: RoomLabels, clock: (Milliseconds) -> String) -> [String] {
    let lines = view.mentions.map { mention in
        let text = mention.light.text.replacing("\n", with: " ")
        let place = "\(clock(mention.time)) \(labels[mention.id.room].sentence)"
        return "\(mention.light.isRead ? " " : "*") \(place): \(mention.author): \(text) (\(mention.id.message))"
    }
    return lines.isEmpty ? ["no message mentions you"] : lines
}

/// Returns the messages that mention the user as a line for programs: `{"change":"mentions","mentions":[{…}]}`, the newest
/// last. A message is written as in the protocol.
func jsonLine(for view: MentionsView) -> String {
    let rows = view.mentions.map { mention in
        var row = JSONWriter()
        mention.write(to: &row)
        return String(decoding: row.bytes, as: UTF8.self)
    }
    return #"{"change":"mentions","mentions":[\#(rows.joined(separator: ","))]}"# + "\n"
}
