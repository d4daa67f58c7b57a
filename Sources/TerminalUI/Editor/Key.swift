/// A key, or a paste.
package enum Key: Hashable, Sendable {
    /// A grapheme, or part of one.
    case text(String)
    /// Ctrl with a letter, in lower case.
    case control(Character)
    /// Alt with a character.
    case alt(Character)
    /// A whole paste, as it came: with whatever line ends and control characters it has.
    case pasted(String)
    /// A paste that is longer than ``KeyDecoder/pasteLimit``, and was left out.
    case longPaste
    case named(Name)

    package enum Name: Hashable, Sendable, CaseIterable {
        case enter, altEnter, escape, tab, backtab, backspace, altBackspace, delete
        case up, down, altUp, altDown, left, right, home, end, pageUp, pageDown
        case wordLeft, wordRight, topOfAll, endOfAll
    }
}
