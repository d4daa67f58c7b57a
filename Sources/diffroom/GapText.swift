import ChatClient

extension RoomView {
    /// The text of a gap, such as `1,204 messages not loaded`.
    var missingText: String {
        switch missing {
        case nil: "messages not loaded"
        case 1: "1 message not loaded"
        case let count?: "\(count.grouped) messages not loaded"
        }
    }
}

extension BinaryInteger {
    /// The number with a comma after every thousand.
    var grouped: String {
        let digits = Array(String(magnitude))
        let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits[Swift.max(0, $0 - 3)..<$0]) }
        return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }
}
