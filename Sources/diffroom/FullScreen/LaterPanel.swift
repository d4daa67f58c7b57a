import ChatClient
import ChatWire
import TerminalUI

/// The user's messages and reminders for later, to go to one of them, to send or postpone it, and to cancel it.
struct LaterPanel: Equatable {
    /// The effect of a key.
    enum Outcome: Equatable {
        case stay
        case go(LaterItem)
        case sendNow(LaterItem)
        /// Let it come an hour from now.
        case postpone(LaterItem)
        case cancel(LaterItem)
        case close
    }

    /// The focused item; `nil` for the first.
    private var focus: UniqueID?
    /// Its place, where the next one is focused when it goes.
    private var last = 0

    mutating func press(_ key: Key, among items: [LaterItem]) -> Outcome {
        let place = place(in: items)
        focus(place, of: items)
        switch key {
        case .named(.escape), .control("c"), .text("q"): return .close
        case .named(.up), .text("k"), .control("p"): focus(place - 1, of: items)
        case .named(.down), .text("j"), .control("n"): focus(place + 1, of: items)
        case .named(.home): focus(0, of: items)
        case .named(.end): focus(items.count - 1, of: items)
        default:
            guard items.indices.contains(place) else { return .stay }
            return act(key, on: items[place])
        }
        return .stay
    }

    private func act(_ key: Key, on item: LaterItem) -> Outcome {
        switch key {
        case .named(.enter): return .go(item)
        case .text("s"): return .sendNow(item)
        case .text("z"): return .postpone(item)
        case .text("x"), .named(.delete): return .cancel(item)
        default: return .stay
        }
    }

    /// The focus stays with its item while others come and go.
    private mutating func focus(_ place: Int, of items: [LaterItem]) {
        if items.indices.contains(place) { (focus, last) = (items[place].id, place) }
    }

    private func place(in items: [LaterItem]) -> Int {
        items.firstIndex { $0.id == focus } ?? max(0, min(last, items.count - 1))
    }

    /// Returns the lines of as many items as there is room for. The focused one is among them.
    ///
    /// - Parameters:
    ///   - items: `nil` while they are not known.
    ///   - phrase: returns the text of an item.
    func lines(_ items: [LaterItem]?, size: Frame.Size, _ phrase: (LaterItem) -> String) -> [Line] {
        let known = items ?? []
        let (rows, place) = (max(1, size.rows - 1), place(in: known))
        let first = max(0, min(place - rows / 2, known.count - rows))
        var lines = [Line("  Later", Style(.accent, [.bold]))]
        lines += known.indices.dropFirst(first).prefix(rows).map { index in
            line(known[index], phrase(known[index]), isFocused: index == place, size.columns)
        }
        if known.isEmpty {
            lines.append(Line(items == nil ? "   …" : "   nothing: /schedule WHEN TEXT, or /remind WHEN", .faint))
        }
        lines += Array(repeating: Line(), count: max(0, size.rows - lines.count))
        return lines.prefix(size.rows).map { $0.fitted(to: size.columns) }
    }

    private func line(_ item: LaterItem, _ text: String, isFocused: Bool, _ width: Int) -> Line {
        var line = Line(isFocused ? " ▌ " : "   ", Style(.accent))
        let isDue = item.section == .due
        line.append(isDue ? "due  " : "     ", Style(.warning, [.bold]))
        line.append("\(laterTime(item.light.plan.at))  ", .faint)
        line.append(text.inOneLine.truncated(to: max(1, width - line.width - 1)), Style(.text))
        line = line.targeting(ClickTarget.later(item.id).text)
        return isFocused ? line.fitted(to: width).on(.selection) : line
    }
}
