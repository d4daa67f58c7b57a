import ChatClient
import ChatWire
import JSON
import TerminalUI

/// Returns a line for each result of a search, the newest last.
///
/// - Parameter clock: returns the text for a time.
func linesForPeople(_ page: SearchPage, _ labels: RoomLabels, clock: (Milliseconds) -> String) -> [String] {
    var lines = page.results.reversed().map { result in
        let row = result.row
        let place = "\(clock(row.time)) \(labels[result.room].sentence)"
        return "\(place): \(row.author): \(Markdown.withoutMarks(row.text)) (\(row.id))".inOneLine
    }
    if lines.isEmpty { lines = ["nothing is found"] }
    if let before = page.before { lines.append("there may be more before \(clock(before.time)): add before:DAY") }
    return lines
}

/// Returns the results as a line for programs: `{"change":"found","results":[{…}]}`, the newest first, as in the protocol.
func jsonLine(for page: SearchPage) -> String {
    let results = page.results.map { result in
        var json = JSONWriter()
        json.object { json in
            json.string("room", result.room.description)
            json.value("row", result.row.json)
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
    return #"{"change":"found","results":[\#(results.joined(separator: ","))],"more":\#(page.before != nil)}"# + "\n"
}
