/// What a terminal sends, one piece after the other.
package enum KeyInput: Hashable, Sendable {
    case character(Unicode.Scalar)
    case key(Key.Name)
    case pasteBegins
    case pasteEnds
    /// Nothing more has arrived: what stands alone stands alone.
    case pause
}

/// Makes keys of what a terminal sends.
package struct KeyDecoder: Sendable {
    private enum Phase {
        /// Then `escaped`, `pasting`.
        case plain
        /// An escape has come: a key by itself, or Alt with what follows. Then `plain`, `pasting`.
        case escaped
        /// What comes goes into `pasted`. Then `plain`.
        case pasting
    }

    /// Bytes of a paste that are taken; what comes beyond them is dropped.
    package static let pasteLimit = 65_536

    private var phase = Phase.plain
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
        case .character(let scalar): if pasted.utf8.count < Self.pasteLimit { pasted.unicodeScalars.append(scalar) }
        case .key(.enter): pasted += "\n"
        case .key(.tab): pasted += "\t"
        case .key, .pasteBegins, .pause: break
        case .pasteEnds:
            phase = .plain
            return [.pasted(pasted.neutralized)]
        }
        return []
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
