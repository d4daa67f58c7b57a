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
    /// A turn of the mouse's wheel, or a press of its first button.
    case mouse(Mouse)

    package struct Mouse: Hashable, Sendable {
        package enum Action: Hashable, Sendable {
            case wheelUp
            case wheelDown
            case press
        }

        package let action: Action
        /// The place on the screen, counted from 0.
        package let row: Int
        package let column: Int
        /// The target of the text at the place; `nil` if it has none.
        package let target: String?

        package init(_ action: Action, row: Int, column: Int, target: String? = nil) {
            (self.action, self.row, self.column, self.target) = (action, row, column, target)
        }
    }

    package enum Name: Hashable, Sendable, CaseIterable {
        case enter, altEnter, escape, tab, backtab, backspace, altBackspace, delete
        case up, down, altUp, altDown, left, right, home, end, pageUp, pageDown
        case wordLeft, wordRight, topOfAll, endOfAll
    }
}
