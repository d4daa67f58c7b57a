import ChatClient
import ChatWire
import Dispatch

/// The users whom the user blocks.
extension LineChat {
    func handle(_ line: BlockLine) {
        switch line {
        case .list:
            queries.requestBlocked()
            printBlocked()
        case .change(let user, let direction):
            blocks[user] = direction
            client.block(user, direction)
        }
        credits.signal()
    }

    /// Prints the users as often as they were asked for, once the list shows the changes before that.
    func printBlocked() {
        guard queries.hasBlocked, blocks.isEmpty else { return }
        guard let blocked else { return client.openBlocked() }
        guard blocked.shows(storedBlocks) else { return }
        storedBlocks = [:]
        for _ in 0..<queries.blockedAnswered() { output.print(blocked, labels.people) }
    }

    /// A line that changes a block waits for the list that was asked for before it.
    private func printBlockedAndGoOn() {
        printBlocked()
        handleLines()
    }

    func blockedChanged(_ change: BlockedChange) {
        blocked = change.view
        printBlockedAndGoOn()
    }

    func blockRefused(_ user: UserName, _ text: String) {
        blocks[user] = nil
        fail(text)
        printBlockedAndGoOn()
    }

    func blockStored(_ user: UserName, _ direction: ClientFrame.Switch, _ text: String) {
        blocks[user] = nil
        storedBlocks[user] = direction
        output.report(text)
        printBlockedAndGoOn()
    }
}

extension BlockedView {
    /// Returns whether the list shows these changes.
    fileprivate func shows(_ changes: [UserName: ClientFrame.Switch]) -> Bool {
        changes.allSatisfy { (self[$0.key] != nil) == ($0.value == .on) }
    }
}

extension ChatClient {
    func block(_ user: UserName, _ direction: ClientFrame.Switch) {
        switch direction {
        case .on: block(user)
        case .off: unblock(user)
        }
    }
}
