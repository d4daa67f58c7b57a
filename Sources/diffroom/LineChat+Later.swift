import ChatClient
import ChatWire
import Dispatch
import TerminalUI

/// Messages and reminders for later.
extension LineChat {
    func handle(_ line: LaterLine) throws(InputError) {
        switch line {
        case .list:
            queries.requestLater()
            printLater()
        case .schedule(let time, let text):
            let content = MessageContent(text, mentions: mentions(in: text))
            unstored.insert(client.schedule(content, to: target, at: try moment(time)))
        case .remind(let time, let which):
            let message = if let which { try find(which) } else { try lastMessage() }
            unstored.insert(client.remind(of: message, in: target, at: try moment(time)))
        case .cancel(let begun):
            let id = try item(begun)
            unstored.insert(id)
            client.cancelLater(id)
        }
        credits.signal()
    }

    private func moment(_ time: LaterTime) throws(InputError) -> Milliseconds {
        try time.moment(at: .timeOfDay + clockLead)
    }

    private func lastMessage() throws(InputError) -> MessageID {
        guard let last = here.view?.messages.last else { throw InputError("the room has no message") }
        return last.id
    }

    private func item(_ begun: String) throws(InputError) -> UniqueID {
        if let id = UniqueID(begun) { return id }
        let items = (later?.due ?? []) + (later?.waiting ?? [])
        let found = items.filter { $0.id.description.hasPrefix(begun) }
        guard let item = found.first, found.count == 1 else {
            let known = later == nil ? "/later shows the ids" : "\(found.count) items have such an id"
            throw InputError("\(begun.neutralized): \(known)")
        }
        return item.id
    }

    /// Prints the items as often as they were asked for, once the changes before that are stored.
    func printLater() {
        guard queries.hasLater, unstored.isEmpty else { return }
        guard let later else { return client.openLater() }
        for _ in 0..<queries.laterAnswered() { output.print(later, labels) }
    }

    func refused(_ id: UniqueID, _ text: String) {
        unstored.remove(id)
        fail(text)
        printLater()
    }

    func stored(_ id: UniqueID, _ plan: LaterItem.Plan?) {
        unstored.remove(id)
        if let plan {
            output.report("\(plan.confirmation(at: .timeOfDay + clockLead)) (\(id.shortText))")
        } else {
            output.report("cancelled (\(id.shortText))")
        }
        printLater()
    }
}
