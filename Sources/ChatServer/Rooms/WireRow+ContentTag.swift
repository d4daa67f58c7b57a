import ChatWire
import JSON
import Tokens

extension WireRow {
    /// The beginning of the SHA-256 of the row's place and content, without its id: equal on all servers, and after a
    /// restart. People choose the content of a row, so it must be infeasible to find two rows with one tag.
    var contentTag: UniqueID? {
        var json = JSONWriter()
        json.array(nil, [self]) { json, row in
            json.string(nil, row.section.rawValue)
            json.number(nil, row.sort)
            json.object { row.writeContent(to: &$0) }
        }
        return UniqueID(startOfSHA256: json.bytes)
    }
}
