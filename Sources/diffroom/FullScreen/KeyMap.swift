import TerminalUI

/// The keys that the user has given the meaning of other keys.
///
/// ```swift
/// try KeyMap(["ctrl-g=ctrl-f"])  // Ctrl-G searches
/// ```
struct KeyMap: Equatable {
    private var meanings: [Key: Key] = [:]

    /// - Throws: the text that is no pair of keys.
    init(_ pairs: [String]) throws(InputError) {
        for pair in pairs {
            let names = pair.split(separator: "=", omittingEmptySubsequences: false).map { String($0).trimmed }
            guard names.count == 2, let key = Key(called: names[0]), let meaning = Key(called: names[1]) else {
                throw InputError(
                    "\(pair): must be KEY=KEY, each one ctrl-LETTER, alt-LETTER or one of \(Key.namesOfKeys)")
            }
            meanings[key] = meaning
        }
    }

    subscript(key: Key) -> Key { meanings[key] ?? key }
}

extension Key {
    private static let names: KeyValuePairs<String, Name> = [
        "enter": .enter, "alt-enter": .altEnter, "escape": .escape, "tab": .tab, "shift-tab": .backtab,
        "backspace": .backspace, "alt-backspace": .altBackspace, "delete": .delete, "up": .up, "down": .down,
        "left": .left, "right": .right, "alt-up": .altUp, "alt-down": .altDown, "ctrl-left": .wordLeft,
        "ctrl-right": .wordRight, "home": .home, "end": .end, "page-up": .pageUp, "page-down": .pageDown,
        "ctrl-home": .topOfAll, "ctrl-end": .endOfAll,
    ]

    fileprivate static var namesOfKeys: String { names.map(\.key).joined(separator: ", ") }

    /// The key of a name such as `ctrl-k`; `nil` if there is none.
    fileprivate init?(called name: String) {
        let name = name.lowercased()
        if let named = Self.names.first(where: { $0.key == name })?.value {
            self = .named(named)
        } else if let letter = name.last, name.count == 6, name.hasPrefix("ctrl-"), ("a"..."z").contains(letter) {
            self = .control(letter)
        } else if let letter = name.last, name.count == 5, name.hasPrefix("alt-"), letter != " " {
            self = .alt(letter)
        } else {
            return nil
        }
    }
}
