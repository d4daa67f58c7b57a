/// What was asked for and has not been answered yet, commands aside: at the end of input it is waited for.
struct OpenQueries: Equatable {
    private var whos = 0
    private var audits = 0
    /// How many messages each `/older` is for. The room answers one at a time.
    private var olders: [Int] = []

    var isEmpty: Bool { whos == 0 && audits == 0 && olders.isEmpty }

    mutating func askWho() { whos += 1 }

    /// - Returns: how many times it was asked.
    mutating func whoAnswered() -> Int {
        defer { whos = 0 }
        return whos
    }

    mutating func askAudit() { audits += 1 }
    mutating func auditAnswered() { audits = max(0, audits - 1) }

    /// - Returns: whether it can be asked for now; otherwise ``olderAnswered()`` will say when.
    mutating func askOlder(_ count: Int) -> Bool {
        olders.append(count)
        return olders.count == 1
    }

    /// - Returns: what to ask for next.
    mutating func olderAnswered() -> Int? {
        if !olders.isEmpty { olders.removeFirst() }
        return olders.first
    }
}
