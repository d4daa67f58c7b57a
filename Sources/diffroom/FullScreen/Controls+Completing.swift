import ChatClient
import ChatWire
import TerminalUI

/// Tab completes commands, names behind an `@` or behind a command that takes one, paths behind `/upload`, and emoji behind
/// a `:`.
extension Controls {
    /// All commands, which ``/help`` explains.
    static let commands = [
        "accept", "archive", "ban", "block", "create", "date", "decline", "follow", "help", "ignore", "invite", "join",
        "kick",
        "later", "leave",
        "links", "mentions",
        "msg", "mute", "older", "picture", "pin", "pins", "quit", "readall", "readonly", "reload", "remind", "role",
        "rooms",
        "schedule", "search",
        "silence",
        "slow", "threads", "title", "topic", "unarchive", "unban", "unblock", "undo", "unfollow", "unignore",
        "uninvite", "unmute",
        "unpicture", "unpin",
        "unread",
        "unsilence", "untitle", "untopic", "upload",
    ]

    /// The commands whose first word is a name, and what it may be a name of.
    private static let circles: [String: Action.Circle] = [
        "accept": .invitations, "decline": .invitations,
        "invite": .everybody, "msg": .everybody, "uninvite": .room, "mute": .room, "unmute": .room, "kick": .room,
        "ban": .room, "block": .everybody, "unblock": .everybody, "role": .room, "ignore": .room, "unignore": .room,
        "unban": .everybody, "join": .rooms,
        "leave": .rooms,
    ]

    /// Completes what stands before the cursor; `nil` if Tab has another meaning there.
    mutating func complete() -> [Action]? {
        guard mode != .searching else { return nil }
        if let actions = completeEmoji() { return actions }
        if let begun = commandBegun { return complete(command: begun) }
        if mode == .writing, let path = PathCompletion(in: draft.before) { return [.completePath(path)] }
        if let begun = nameBegun { return [.completeName(begun, of: circle ?? .callable)] }
        if let circle, let begun = firstNameBegun { return [.completeName(begun, of: circle)] }
        return nil
    }

    /// Puts the emoji with the name behind a `:` in the place of the name, and after another Tab the next one; `nil` if there is no name.
    private mutating func completeEmoji() -> [Action]? {
        let before: String
        let choice: EmojiChoice
        if let shown = emojiChoice {
            (before, choice) = (shown.text, shown.next)
        } else if let begun = EmojiNames.begun(in: editor.before) {
            let name = begun.filter { $0 != ":" }
            let found = EmojiNames.named(name)
            guard !found.isEmpty else { return [.showNotice("no emoji is called \(name)")] }
            (before, choice) = (String(begun), EmojiChoice(typed: String(begun), found: found))
        } else {
            return nil
        }
        editor.replace(last: before.count, with: choice.text)
        emojiChoice = choice
        return [.showNotice(choice.notice)]
    }

    /// The beginning of a command, as the only thing in the line.
    private var commandBegun: String? {
        guard mode == .writing, draft.before.hasPrefix("/"), draft.after.isEmpty else { return nil }
        let begun = draft.before.dropFirst()
        return begun.contains { $0.isWhitespace || $0 == "/" } ? nil : String(begun)
    }

    /// Completes a command as far as there is no choice.
    private mutating func complete(command begun: String) -> [Action] {
        let commands = Self.commands.filter { $0.hasPrefix(begun) }
        guard let first = commands.first else {
            return [.showNotice("there is no /\(begun): /help shows what there is")]
        }
        let common = commands.dropFirst().reduce(first[...]) { $0.prefix(zip($0, $1).prefix { $0 == $1 }.count) }
        draft.insert(common.dropFirst(begun.count))
        if commands.count == 1 {
            draft.insert(" ")
            return []
        }
        return [.showNotice(commands.map { "/\($0)" }.joined(separator: "  "))]
    }

    /// The beginning of a name behind an `@`, before the cursor.
    private var nameBegun: String? {
        guard let name = Mentions.begun(in: editor.before) else { return nil }
        return name.contains(where: \.isWhitespace) ? nil : name
    }

    /// The circle from which the command in the line takes a name; `nil` if there is no such command.
    private var circle: Action.Circle? {
        guard mode == .writing, draft.before.hasPrefix("/") else { return nil }
        return draft.before.firstIndex(of: " ").flatMap { Self.circles[String(draft.before[..<$0].dropFirst())] }
    }

    /// All that stands behind the command, or behind the last comma of `/msg`, since a name may have spaces.
    private var firstNameBegun: String? {
        guard let end = draft.before.firstIndex(of: " ") else { return nil }
        let names = draft.before[end...].drop { $0 == " " || $0 == "#" && circle == .rooms }
        guard draft.before.hasPrefix("/msg "), let comma = names.lastIndex(of: ",") else { return String(names) }
        return String(names[comma...].dropFirst())
    }
}

extension Controls {
    /// The emoji among which Tab goes on, and at last to the name as it was typed.
    struct EmojiChoice: Equatable {
        let typed: String
        let found: [EmojiNames.Emoji]
        private var index = 0

        init(typed: String, found: [EmojiNames.Emoji]) {
            (self.typed, self.found) = (typed, found)
        }

        /// The text that stands in the line.
        var text: String { index < found.count ? found[index].emoji : typed }

        var next: EmojiChoice {
            var next = self
            next.index = (index + 1) % (found.count + 1)
            return next
        }

        var notice: String {
            let names = found.enumerated().map { index, emoji in
                let text = "\(emoji.emoji) \(emoji.name)"
                return index == self.index ? "[\(text)]" : text
            }
            return names.joined(separator: "  ") + "   Tab: the next one"
        }
    }
}
