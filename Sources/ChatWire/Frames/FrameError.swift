/// Why bytes are no frame. They were ignored.
public enum FrameError: Error, Equatable, Sendable {
    /// No JSON object: the two sides do not speak the same language, and the server closes with
    /// ``CloseCode/badFrame``. The text says what was found.
    case notAnObject(String)
    /// A JSON object that is no frame of this protocol: answered with the error, and with the `ref` if there is one.
    case bad(ref: UInt64?, WireError)

    /// What was wrong and what would be right, for a person to read.
    package var message: String {
        switch self {
        case .notAnObject(let what): what
        case .bad(_, let error): error.message
        }
    }
}

extension FrameError {
    /// A frame that was too long to be read, of which only the edges are left: `too_large`, with the frame's `ref` if one
    /// of the edges has it whole.
    ///
    /// - Complexity: O(n²) at worst in the bytes of an edge, which are few.
    package init(oversized size: Int, _ limit: Int, start: [UInt8], end: [UInt8]) {
        let error = WireError(.tooLarge, "the frame has \(size) bytes, must have at most \(limit)")
        self = .bad(ref: Self.ref(inStart: start) ?? Self.ref(inEnd: end), error)
    }

    /// The `ref` of a frame that is not read, if one of its edges has it whole, as above.
    package static func ref(ofUnread frame: [UInt8]) -> UInt64? {
        ref(inStart: Array(frame.prefix(edge))) ?? ref(inEnd: Array(frame.suffix(edge)))
    }

    /// How many bytes are looked at on either side.
    private static let edge = 256

    /// What comes before a comma between two members is an object without its bracket; a comma within a string or an
    /// inner value leaves no JSON on either side.
    private static func ref(inStart start: [UInt8]) -> UInt64? {
        for comma in start.indices.reversed() where start[comma] == UInt8(ascii: ",") {
            if let whole = try? Envelope(start[..<comma] + [UInt8(ascii: "}")]) { return whole.ref }
        }
        return nil
    }

    private static func ref(inEnd end: [UInt8]) -> UInt64? {
        for comma in end.indices where end[comma] == UInt8(ascii: ",") {
            if let whole = try? Envelope([UInt8(ascii: "{")] + end[(comma + 1)...]) { return whole.ref }
        }
        return nil
    }
}
