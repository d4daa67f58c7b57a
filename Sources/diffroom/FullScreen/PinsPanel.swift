import ChatClient
import ChatWire
import TerminalUI

/// The pinned messages of the room shown, to go to one of them and to put them in order.
struct PinsPanel: Equatable {
    /// The effect of a key.
    enum Outcome: Equatable {
        case stay
        case go(MessageID)
        case move(MessageID, PinPlace)
        case unpin(MessageID)
        case close
    }

    /// The focused message; `nil` for the first.
    private(set) var focus: MessageID?

    mutating func press(_ key: Key, among pins: [Pin]) -> Outcome {
        let place = place(in: pins)
        switch key {
        case .named(.escape), .control("c"), .text("q"): return .close
        case .named(.enter): return pins.isEmpty ? .stay : .go(pins[place].id)
        case .named(.up), .text("k"), .control("p"): focus(place - 1, of: pins)
        case .named(.down), .text("j"), .control("n"): focus(place + 1, of: pins)
        case .named(.home): focus(0, of: pins)
        case .named(.end): focus(pins.count - 1, of: pins)
        case .text("K") where place > 0: return move(place, .before(pins[place - 1].id), in: pins)
        case .text("J") where place + 1 < pins.count: return move(place, .after(pins[place + 1].id), in: pins)
        case .text("x"), .named(.delete): return unpin(place, of: pins)
        default: break
        }
        return .stay
    }

    /// The focus stays with its message while others come, go and move.
    private mutating func focus(_ place: Int, of pins: [Pin]) {
        if pins.indices.contains(place) { focus = pins[place].id }
    }

    private mutating func move(_ place: Int, _ to: PinPlace, in pins: [Pin]) -> Outcome {
        focus = pins[place].id
        return .move(pins[place].id, to)
    }

    private mutating func unpin(_ place: Int, of pins: [Pin]) -> Outcome {
        guard !pins.isEmpty else { return .stay }
        focus(place + 1 < pins.count ? place + 1 : place - 1, of: pins)
        return .unpin(pins[place].id)
    }

    private func place(in pins: [Pin]) -> Int {
        pins.firstIndex { $0.id == focus } ?? 0
    }

    /// Returns the lines of as many messages as there is room for. The focused one is among them.
    ///
    /// - Parameter pins: `nil` while they are not known.
    func lines(
        _ pins: [Pin]?, _ room: RoomLabel, _ people: PeopleLabels, hiding ignored: Ignored = Ignored(), size: Frame.Size
    ) -> [Line] {
        let known = pins ?? []
        let (rows, place) = (max(1, size.rows - 1), place(in: known))
        let first = max(0, min(place - rows / 2, known.count - rows))
        var lines = [Line("  Pinned in \(room.heading.inOneLine)", Style(.accent, [.bold]))]
        lines += known.indices.dropFirst(first).prefix(rows).map { index in
            line(known[index], people, ignored, isFocused: index == place, size.columns)
        }
        if known.isEmpty { lines.append(Line(pins == nil ? "   …" : "   no message is pinned", .faint)) }
        lines += Array(repeating: Line(), count: max(0, size.rows - lines.count))
        return lines.prefix(size.rows).map { $0.fitted(to: size.columns) }
    }

    private func line(
        _ pin: Pin, _ people: PeopleLabels, _ ignored: Ignored, isFocused: Bool, _ width: Int
    ) -> Line {
        let clock = WallClock()
        var line = Line(isFocused ? " ▌ " : "   ", Style(.accent))
        line.append(clock.date(pin.time) + " " + clock.time(pin.time) + "  ", .faint)
        line.append(people[pin.author].inOneLine + " ", .name(pin.author))
        let content = pin.light.content.text
        let text = ignored.remedy(for: content, of: pin.author) == nil ? content.inOneLine : "a hidden message"
        line.append(text.truncated(to: max(1, width - line.width - 1)), Style(.text))
        line = line.targeting(ClickTarget.message(pin.id).text)
        return isFocused ? line.fitted(to: width).on(.selection) : line
    }
}

/// The changes of a room's pinned messages that the user has asked for, until they are answered. The screen shows them at
/// once.
struct PendingPins {
    private var changes: [(command: CommandID, change: Moderation)] = []

    mutating func add(_ change: Moderation, as command: CommandID) {
        changes.append((command, change))
    }

    mutating func remove(_ command: CommandID) {
        changes.removeAll { $0.command == command }
    }

    /// Returns the pinned messages as they will be.
    func applied(to pins: [Pin]) -> [Pin] {
        changes.reduce(into: pins) { pins, change in
            switch change.change {
            case .unpin(let id): pins.removeAll { $0.id == id }
            case .pin(let id, let place): pins.move(id, to: place)
            default: break
            }
        }
    }
}

extension [Pin] {
    fileprivate mutating func move(_ id: MessageID, to place: PinPlace) {
        let (other, step) =
            switch place {
            case .last: (nil as MessageID?, 0)
            case .before(let id): (id, 0)
            case .after(let id): (id, 1)
            }
        guard let other, let index = firstIndex(where: { $0.id == id }), contains(where: { $0.id == other }) else {
            return
        }
        let pin = remove(at: index)
        guard let target = firstIndex(where: { $0.id == other }) else { return }
        insert(pin, at: target + step)
    }
}
