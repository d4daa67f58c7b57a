/// The queries without an answer, not counting commands. The chat waits for them at the end of input.
struct OpenQueries: Equatable {
    private var whos = 0
    private var audits = 0
    /// The number of messages that each `/older` asked for. The room answers one at a time.
    private var olders: [Int] = []

    var isEmpty: Bool { whos == 0 && audits == 0 && olders.isEmpty }

    mutating func askWho() { whos += 1 }

    /// - Returns: the number of times that the list was asked for.
    mutating func whoAnswered() -> Int {
        defer { whos = 0 }
        return whos
    }

    mutating func askAudit() { audits += 1 }
    mutating func auditAnswered() { audits = max(0, audits - 1) }

    /// - Returns: whether to send the request now; otherwise ``olderAnswered()`` returns it later.
    mutating func askOlder(_ count: Int) -> Bool {
        olders.append(count)
        return olders.count == 1
    }

    /// - Returns: the next request to send.
    mutating func olderAnswered() -> Int? {
        if !olders.isEmpty { olders.removeFirst() }
        return olders.first
    }
}
