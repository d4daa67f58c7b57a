import ChatClient
import ChatWire
import JSON
import TerminalUI

/// Returns a line for each pinned message of a room, in their order.
///
/// - Parameter clock: returns the text for a time.
func linesForPeople(_ view: PinsView, clock: (Milliseconds) -> String) -> [String] {
    let lines = view.pins.map { pin in
        "\(clock(pin.time)) \(pin.author): \(pin.light.content.text) (\(pin.id))".inOneLine
    }
    return lines.isEmpty ? ["no message is pinned"] : lines
}

/// Returns the pinned messages as a line for programs: `{"change":"pins","room":"…","pins":[{…}]}`. A message is written as
/// in the protocol.
func jsonLine(for view: PinsView, of room: RoomName) -> String {
    var json = JSONWriter()
    json.object { json in
        json.string("change", "pins")
        json.string("room", room.description)
        json.array("pins", view.pins) { $1.write(to: &$0) }
    }
    return String(decoding: json.bytes, as: UTF8.self) + "\n"
}
