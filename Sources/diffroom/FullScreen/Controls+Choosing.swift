import ChatClient
import ChatWire
import TerminalUI

extension Controls {
    /// Handles a key while a message is being selected.
    mutating func choose(_ key: Key, _ subject: Subject?) -> [Action] {
        switch key {
        case .named(.up), .text("k"): return [.select(.up)]
        case .named(.down), .text("j"): return [.select(.down)]
        case .named(.enter):
            guard let quoted = subject?.replyTo else { return leave() }
            return [.go(.id(quoted))]
        case .named(.end): return leave() + [.scroll(.end)]
        case .named(.escape), .named(.tab), .text("q"): return leave()
        case .text("/"):
            side.set("")
            mode = .searching
            return []
        case .text("u"): return [.undo]
        case .text("n"): return [.searchNext(.up)]
        case .text("N"): return [.searchNext(.down)]
        default: return act(key, subject)
        }
    }

    private mutating func act(_ key: Key, _ subject: Subject?) -> [Action] {
        guard let subject else { return [.showNotice("choose a message first: up and down, or k and j")] }
        switch key {
        case .text("r"):
            mode = .replying(subject.id)
            return []
        case .text("t"): return leave() + [.rooms(.thread(subject.id))]
        case .text("m"): return leave() + [.markUnread(subject.id)]
        case .text("y"): return leave() + [.copy(subject.id)]
        case .text("o"):
            guard subject.hasFiles else { return [.showNotice("this message has no files")] }
            return [.links(subject.id)]
        case .text("s"):
            guard subject.mayStop else { return [.showNotice("this message does not grow, or is not yours to stop")] }
            return leave() + [.command(.stop(subject.id))]
        case .text("p"):
            guard subject.mayPin else { return [.showNotice("moderators pin messages here")] }
            return leave() + [.togglePin(subject.id)]
        case .text("l"):
            side.set("")
            mode = .reminding(subject.id)
            return []
        case .text("+"), .text("="):
            side.set("")
            mode = .reacting(subject.id)
            return []
        case .text("e"), .text("d"), .named(.delete):
            let isAllowed = key == .text("e") ? subject.isOwn : subject.mayDelete
            guard isAllowed else { return [.showNotice("that is not your message")] }
            if key == .text("e") { side.set(subject.text) }
            mode = key == .text("e") ? .editing(subject.id) : .confirming(.delete(subject.id), .keep)
            return []
        case .text, .control, .alt, .pasted, .longPaste, .named, .mouse:
            return [.showNotice("these keys choose; Esc goes back to writing")]
        }
    }

    /// Handles a key in a question. No letter answers it, so that typing on does nothing.
    mutating func answer(_ key: Key, _ question: Question, _ answer: Answer) -> [Action] {
        switch key {
        case .named(.left), .named(.right), .named(.tab), .named(.backtab):
            mode = .confirming(question, answer.other)
            return []
        case .named(.enter):
            mode = question.origin
            return answer == .act ? [question.action] : []
        case .named(.escape):
            mode = question.origin
            return []
        case .text, .control, .alt, .pasted, .longPaste, .named, .mouse:
            return [.showNotice("← → choose an answer, Enter gives it")]
        }
    }
}

extension Controls.Question {
    fileprivate var action: Controls.Action {
        switch self {
        case .delete(let id): .command(.delete(id))
        case .leave(let label), .decline(let label): .rooms(.leaveOrDecline(label.room))
        }
    }

    /// The mode that the question is asked in.
    fileprivate var origin: Controls.Mode {
        switch self {
        case .delete: .selecting
        case .leave, .decline: .writing
        }
    }
}
