/// One piece of a terminal's input.
package enum KeyInput: Hashable, Sendable {
    case character(Unicode.Scalar)
    case key(Key.Name)
    case mouse(Key.Mouse)
    case pasteBegins
    case pasteEnds
    /// No more input has arrived, so a lone escape is a key by itself.
    case pause
}

/// Turns a terminal's input into keys.
package struct KeyDecoder: Sendable {
    private enum Phase {
        /// Next: `escaped`, `pasting`.
        case plain
        /// An escape has arrived: a key by itself, or Alt with the next one. Next: `plain`, `pasting`.
        case escaped
        /// Input is added to `pasted`. Next: `plain`.
        case pasting
    }

    /// The most bytes of a paste. A longer one is left out whole.
    package static let pasteLimit = 65_536

    private var phase = Phase.plain
    /// The text of the paste, at most one byte more than the limit.
    private var pasted = ""

    package init() {}

    package mutating func decode(_ input: KeyInput) -> [Key] {
        switch (phase, input) {
        case (.pasting, _): return paste(input)
        case (.plain, .character("\u{1B}")):
            phase = .escaped
            return []
        case (.plain, .character(let scalar)): return [Self.key(of: scalar)]
        case (.plain, .key(let name)): return [.named(name)]
        case (.plain, .mouse(let mouse)): return [.mouse(mouse)]
        case (.plain, .pause), (.plain, .pasteEnds): return []
        case (.escaped, .character(let scalar)):
            phase = .plain
            return Self.withAlt(scalar)
        case (.escaped, .key(.backspace)):
            phase = .plain
            return [.named(.altBackspace)]
        case (.escaped, .key(let name)):
            phase = .plain
            return [.named(.escape), .named(name)]
        case (.escaped, .mouse(let mouse)):
            phase = .plain
            return [.named(.escape), .mouse(mouse)]
        case (.escaped, .pause), (.escaped, .pasteEnds):
            phase = .plain
            return [.named(.escape)]
        case (.plain, .pasteBegins), (.escaped, .pasteBegins):
            phase = .pasting
            pasted = ""
            return []
        }
    }

    private mutating func paste(_ input: KeyInput) -> [Key] {
        switch input {
        case .character(let scalar): append(scalar)
        case .key(.enter): append("\n")
        case .key(.tab): append("\t")
        case .key, .mouse, .pasteBegins, .pause: break
        case .pasteEnds:
            phase = .plain
            return [pasted.utf8.count > Self.pasteLimit ? .longPaste : .pasted(pasted)]
        }
        return []
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if pasted.utf8.count <= Self.pasteLimit { pasted.unicodeScalars.append(scalar) }
    }

    private static func withAlt(_ scalar: Unicode.Scalar) -> [Key] {
        switch scalar {
        case "\r", "\n": [.named(.altEnter)]
        case "\u{7F}", "\u{08}": [.named(.altBackspace)]
        case "\u{1B}": [.named(.escape), .named(.escape)]
        case _ where scalar.value < 0x20: [.named(.escape), key(of: scalar)]
        default: [.alt(Character(scalar))]
        }
    }

    private static func key(of scalar: Unicode.Scalar) -> Key {
        switch scalar.value {
        case 0x0D: .named(.enter)
        case 0x09: .named(.tab)
        case 0x08, 0x7F: .named(.backspace)
        case 1..<0x20: .control(Character(Unicode.Scalar(scalar.value + 0x60) ?? "?"))
        default: .text(String(Character(scalar)))
        }
    }
}
