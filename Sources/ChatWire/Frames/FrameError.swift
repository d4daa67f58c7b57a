/// The reason why bytes are not a frame. The bytes were ignored.
public enum FrameError: Error, Equatable, Sendable {
    /// The bytes are not a JSON object. The two sides do not speak the same language, so the server closes with
    /// ``CloseCode/badFrame``. The text says what was found.
    case notAnObject(String)
    /// The bytes are a JSON object but not a frame. The server answers with the error, and with the `ref` if there is
    /// one.
    case bad(ref: UInt64?, WireError)

    /// The fault and its remedy, for a person to read.
    package var message: String {
        switch self {
        case .notAnObject(let what): what
        case .bad(_, let error): error.message
        }
    }
}

extension FrameError {
    /// The error for a frame that was too long to be read, and of which only the edges are left.
    ///
    /// The error is `too_large`, with the frame's `ref` if one of the edges holds it whole.
    ///
    /// - Complexity: O(n²) at worst in the bytes of an edge, which are few.
    package init(oversized size: Int, _ limit: Int, start: [UInt8], end: [UInt8]) {
        let error = WireError(.frame, "the frame has \(size) bytes, must have at most \(limit)")
        self = .bad(ref: Self.ref(inStart: start) ?? Self.ref(inEnd: end), error)
    }

    /// Returns the `ref` of a frame that was not read, if one of its edges holds it whole.
    package static func ref(ofUnread frame: [UInt8]) -> UInt64? {
        ref(inStart: Array(frame.prefix(edge))) ?? ref(inEnd: Array(frame.suffix(edge)))
    }

    /// The length of an edge, in bytes.
    private static let edge = 256

    /// Finds the `ref` by closing the object at each comma in turn.
    ///
    /// At a comma between two members the bytes before it are an object that lacks only its brace. At a comma inside a
    /// string or an inner value they are no JSON.
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
