import ChatWire
import TerminalUI

extension LineEditor {
    /// True when the text may have line feeds.
    enum Lines {
        case one
        case several
    }

    /// Handles a key that changes the text or moves the cursor. Other keys do nothing.
    mutating func press(_ key: Key, lines: Lines) {
        switch key {
        case .text(let text): insert(text)
        case .pasted(let text):
            let entered = EnteredText(text).text
            insert(lines == .one ? entered.replacing("\n", with: " ") : entered)
        case .control(let letter): control(letter, lines)
        case .alt(let letter): alt(letter)
        case .named(let name): named(name, lines)
        case .longPaste, .mouse: break
        }
    }

    private mutating func control(_ letter: Character, _ lines: Lines) {
        switch letter {
        case "a": moveLeft(by: .line)
        case "e": moveRight(by: .line)
        case "b": moveLeft(by: .grapheme)
        case "d": deleteRight()
        case "j", "o": feedLine(lines)
        case "k": killRight(by: .line)
        case "u": killLeft(by: .line)
        case "w": killLeft(by: .word)
        case "y": yank()
        case "p": recallEarlier()
        case "n": recallLater()
        default: break
        }
    }

    private mutating func alt(_ letter: Character) {
        switch letter {
        case "b": moveLeft(by: .word)
        case "f": moveRight(by: .word)
        case "d": killRight(by: .word)
        default: break
        }
    }

    private mutating func named(_ name: Key.Name, _ lines: Lines) {
        switch name {
        case .altEnter: feedLine(lines)
        case .backspace: deleteLeft()
        case .delete: deleteRight()
        case .altBackspace: killLeft(by: .word)
        case .left: moveLeft(by: .grapheme)
        case .right: moveRight(by: .grapheme)
        case .wordLeft: moveLeft(by: .word)
        case .wordRight: moveRight(by: .word)
        case .home: moveLeft(by: .line)
        case .end: moveRight(by: .line)
        case .enter, .escape, .tab, .backtab, .up, .down, .altUp, .altDown, .pageUp, .pageDown, .topOfAll, .endOfAll:
            break
        }
    }

    private mutating func feedLine(_ lines: Lines) {
        switch lines {
        case .one: break
        case .several: insert("\n")
        }
    }
}
