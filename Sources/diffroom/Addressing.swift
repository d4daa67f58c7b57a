import ChatClient
import ChatWire
import TerminalUI

extension RoomView {
    /// Returns the message with a number, or with the beginning of an id.
    ///
    /// - Complexity: O(log *n*) for a number, O(*n*) for an id.
    func message(named name: String) throws(InputError) -> MessageID {
        if let number = UInt64(name), let message = message(number: number) { return message.id }
        let prefix = name.lowercased()
        guard prefix.utf8.count >= 4 else { throw InputError("there is no message \(name.neutralized) here") }
        let found = messages.filter { $0.id.description.hasPrefix(prefix) }
        guard found.count < 2 else { throw InputError("\(found.count) messages' ids begin with \(prefix): write more") }
        guard let message = found.first else {
            throw InputError("there is no message \(name.neutralized) among those shown; /older may bring it")
        }
        return message.id
    }

    /// Finds a message by number. Numbers are sort keys, which ascend within each section.
    private func message(number: UInt64) -> Message? {
        let boundary = messages.firstIndex { $0.section == .socket } ?? messages.count
        return [messages[..<boundary], messages[boundary...]].lazy.compactMap { $0.find(number) }.first
    }
}

extension ArraySlice<Message> {
    fileprivate func find(_ number: UInt64) -> Message? {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].sort < number { low = middle + 1 } else { high = middle }
        }
        return low < endIndex && self[low].sort == number ? self[low] : nil
    }
}
