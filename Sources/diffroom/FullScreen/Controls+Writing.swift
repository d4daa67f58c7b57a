import ChatWire
import TerminalUI

extension Controls {
    /// Handles a key while a text is being written.
    mutating func write(_ key: Key, _ subject: Subject?) -> [Action] {
        switch key {
        case .named(.enter): return enter()
        case .named(.tab): return complete() ?? aside(key)
        case .named(.escape): return aside(key)
        case .named(.up): return up()
        case .named(.down): return down()
        case .named(.end) where mode == .writing && draft.isEmpty: return [.scroll(.end)]
        case .control("d") where mode == .writing && draft.isEmpty: return [.quit]
        case .text(let digit) where isQuick(digit): return react(Self.quickReactions[(Int(digit) ?? 1) - 1])
        default:
            let before = editor.text
            editor.press(key, lines: mode == .searching ? .one : .several)
            let search: [Action] = mode == .searching && editor.text != before ? [.search(editor.text)] : []
            if case .pasted(let text) = key, EnteredText(text).isReduced {
                return search + [.showNotice(InputLine.reduced)]
            }
            return search
        }
    }

    private func isQuick(_ text: String) -> Bool {
        guard case .reacting = mode, side.isEmpty, let number = Int(text) else { return false }
        return (1...Self.quickReactions.count).contains(number)
    }

    private mutating func react(_ emoji: String) -> [Action] {
        guard case .reacting(let id) = mode else { return [] }
        mode = .selecting
        return [.command(.react(id, emoji))]
    }

    /// Leaves writing, or returns to it. From a search, Tab goes to the message found.
    private mutating func aside(_ key: Key) -> [Action] {
        switch mode {
        case .searching where key == .named(.tab):
            mode = .selecting
            return []
        case .writing:
            // Escape means to leave something. Where there is nothing to leave, it must not turn letters into commands.
            guard key == .named(.tab) else { return [.showNotice("Tab chooses a message")] }
            mode = .selecting
            return [.select(.up)]
        case .reacting, .reminding:
            mode = .selecting
            return []
        case .replying, .editing:
            return key == .named(.escape) ? leave() : [.showNotice("Esc leaves this, Enter sends it")]
        case .searching: return leave()
        case .selecting, .confirming, .helping: return []
        }
    }

    private mutating func up() -> [Action] {
        if mode == .searching { return [.searchNext(.up)] }
        if !editor.moveUp() { editor.recallEarlier() }
        return []
    }

    private mutating func down() -> [Action] {
        if mode == .searching { return [.searchNext(.down)] }
        if !editor.moveDown() { editor.recallLater() }
        return []
    }

    // MARK: - Enter

    private mutating func enter() -> [Action] {
        let text = EnteredText(editor.entered).text
        let isBlank = text.allSatisfy(\.isWhitespace)
        if mode != .searching, !isBlank, !text.hasSomethingToSee {
            return [.showNotice("this has no visible character: a message needs one")]
        }
        switch mode {
        case .searching: return [.searchNext(.up)]
        case .reacting: return isBlank ? [] : react(text)
        case .reminding(let id): return isBlank ? [] : remind(of: id, text)
        case .editing(let id):
            guard !isBlank else { return [.showNotice("a message cannot be empty: Esc leaves it as it was")] }
            return [.command(.edit(id, text))] + leave()
        case .replying(let id):
            guard !isBlank else { return [] }
            return [.command(.send(draft.submit(), replyTo: id))] + leave() + [.scroll(.end)]
        case .writing: return isBlank ? [] : submit()
        case .selecting, .confirming, .helping: return []
        }
    }

    private mutating func remind(of message: MessageID, _ text: String) -> [Action] {
        guard let (time, rest) = LaterTime.read(text), rest.isEmpty else {
            return [.showNotice("say when: 20m, 3h, 2d, 9:00, tomorrow 9:00 or 2026-12-24 9:00")]
        }
        return leave() + [.rooms(.remind(message, time))]
    }

    private mutating func submit() -> [Action] {
        let text = draft.text
        guard text.hasPrefix("/"), !text.hasPrefix("//") else {
            let message = draft.submit()
            return [
                .command(.send(message.hasPrefix("//") ? String(message.dropFirst()) : message, replyTo: nil)),
                .scroll(.end),
            ]
        }
        let words = text.dropFirst().split(separator: " ", maxSplits: 1)
        return command(words.first.map(String.init) ?? "", words.count > 1 ? String(words[1]) : "")
    }

    /// The commands that stand alone.
    private static let actions: [String: Action] = [
        "undo": .undo, "older": .scroll(.top), "quit": .quit, "rooms": .rooms(.choose), "threads": .rooms(.threads),
        "follow": .rooms(.join(nil)), "unfollow": .rooms(.leave(nil)), "mentions": .rooms(.mentions),
        "pins": .rooms(.pins), "links": .links(nil), "reload": .reload,
    ]

    private mutating func command(_ name: String, _ rest: String) -> [Action] {
        if let action = Self.actions[name] {
            _ = draft.submit()
            return [action]
        }
        switch name {
        case "help":
            _ = draft.submit()
            mode = .helping
            return []
        case "search":
            _ = draft.submit()
            side.set(rest)
            mode = .searching
            return rest.isEmpty ? [.search(rest)] : [.search(rest), .searchOn]
        case "date":
            guard let time = WallClock().beginning(ofDay: rest) else {
                return [.showNotice("usage: /date YEAR-MONTH-DAY, such as /date 2026-03-03")]
            }
            _ = draft.submit()
            return [.go(.time(time))]
        case "ignore", "unignore":
            _ = draft.submit()
            let rule = rest.trimmed
            return [name == "ignore" ? .ignore(rule) : .unignore(rule)]
        case "join", "leave": return member(name, rest)
        default: return perform(name, rest)
        }
    }

    private mutating func member(_ name: String, _ rest: String) -> [Action] {
        do throws(InputError) {
            let room = try InputLine.room(rest, usage: "/\(name) [ROOM]")
            _ = draft.submit()
            return [.rooms(name == "join" ? .join(room) : .leave(room))]
        } catch {
            return [.showNotice(error.description)]
        }
    }

    private mutating func perform(_ name: String, _ rest: String) -> [Action] {
        do throws(InputError) {
            if name == "upload" {
                let line = try FileLine(rest)
                _ = draft.submit()
                return [.upload(line)]
            }
            if let line = try RoomLine(command: name, rest) {
                _ = draft.submit()
                return [.rooms(.about(line))]
            }
            if let line = try SettingLine(command: name, rest) {
                _ = draft.submit()
                return [.rooms(.set(line))]
            }
            if let line = try LaterLine(command: name, rest) {
                _ = draft.submit()
                return [.rooms(.later(line))]
            }
            if let line = try BlockLine(command: name, rest) {
                _ = draft.submit()
                return [.rooms(.block(line))]
            }
            if let moderation = try Moderation(command: name, rest) {
                _ = draft.submit()
                return [.command(.moderate(moderation))]
            }
            return [.showNotice("there is no /\(name): /help shows what there is, // sends a /")]
        } catch {
            return [.showNotice(error.description)]
        }
    }
}
