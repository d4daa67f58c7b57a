/// A text that a person or a program enters, in the form in which it is stored.
///
///     EnteredText("\u{1B}[31merror\u{1B}[0m\r\n")  // text "error\n", isReduced
///
/// - Shape: escape sequences and control characters are dropped, and each line end is a line feed. Everything else stays:
///   tabs, indents, and characters that join letters or turn the direction of writing. Entering ``text`` again changes
///   nothing.
/// - Complexity: O(characters).
/// - Source: "Entered text" in docs/protocol-reference.md, and its vectors; ECMA-48 for the escape sequences.
public struct EnteredText: Equatable, Sendable {
    public let text: String
    /// True when something was dropped, about which the person should know. A line end that was converted is not.
    public let isReduced: Bool

    public init(_ entered: String) {
        var entered = entered
        if entered.withUTF8({ bytes in unsafe bytes.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A } }) {
            (text, isReduced) = (entered, false)
            return
        }
        let scalars = Array(entered.unicodeScalars)
        var stored = String.UnicodeScalarView()
        var place = 0
        var isReduced = false
        var isBehindReturn = false
        while place < scalars.count {
            let next = scalars.endOfControl(at: place)
            if let next {
                isReduced = true
                place = next
                continue
            }
            let scalar = scalars[place]
            // A carriage return and a line feed are one line end, for which the return stands already.
            if !(isBehindReturn && scalar == "\n") { stored.append(scalar.isLineEnd ? "\n" : scalar) }
            isBehindReturn = scalar == "\r"
            place += 1
        }
        text = String(stored)
        self.isReduced = isReduced
    }
}

extension String {
    /// True when a character of the text is drawn as more than a space.
    public var hasSomethingToSee: Bool {
        utf8.contains { (0x21..<0x7F).contains($0) } || unicodeScalars.contains { !$0.isBlank }
    }
}

extension [Unicode.Scalar] {
    /// Returns the end of the escape sequence or control character at a place; `nil` if there is none.
    fileprivate func endOfControl(at place: Int) -> Int? {
        switch self[place].value {
        case 0x09...0x0D, 0x85: nil
        case 0x1B: endOfEscape(at: place + 1)
        case 0x9B: endOfControlSequence(at: place + 1)
        case 0x90, 0x98, 0x9D...0x9F: endOfControlString(at: place + 1)
        case 0..<0x20, 0x7F..<0xA0: place + 1
        default: nil
        }
    }

    /// Returns the end of the sequence whose escape character stands before a place.
    private func endOfEscape(at place: Int) -> Int {
        switch place < count ? self[place] : "\0" {
        case "[": return endOfControlSequence(at: place + 1)
        case "P", "X", "]", "^", "_": return endOfControlString(at: place + 1)
        default:
            let final = end(of: 0x20...0x2F, from: place)
            return hasOne(of: 0x30...0x7E, at: final) ? final + 1 : final
        }
    }

    /// Returns the end of a control sequence, such as a colour, from its parameters on.
    private func endOfControlSequence(at place: Int) -> Int {
        let final = end(of: 0x20...0x2F, from: end(of: 0x30...0x3F, from: place))
        return hasOne(of: 0x40...0x7E, at: final) ? final + 1 : final
    }

    /// Returns the end of a control string, such as the title of a window, from its first character on. A string without an
    /// end is no string: a person's text would go with it.
    private func endOfControlString(at place: Int) -> Int {
        guard let end = self[place...].firstIndex(where: \.endsControlString) else { return place }
        switch self[end].value {
        case 0x07, 0x9C: return end + 1
        case 0x1B where hasOne(of: 0x5C...0x5C, at: end + 1): return end + 2
        default: return place
        }
    }

    private func end(of range: ClosedRange<UInt32>, from place: Int) -> Int {
        self[place...].firstIndex { !range.contains($0.value) } ?? count
    }

    private func hasOne(of range: ClosedRange<UInt32>, at place: Int) -> Bool {
        place < count && range.contains(self[place].value)
    }
}

extension Unicode.Scalar {
    fileprivate var isLineEnd: Bool {
        switch value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// True for a character that stands in no control string: it ends one, or begins another.
    ///
    /// As another one's beginning counts, each character is looked at by one string only.
    fileprivate var endsControlString: Bool {
        switch value {
        case 0x07, 0x1B, 0x90, 0x98, 0x9C...0x9F: true
        default: false
        }
    }
}
