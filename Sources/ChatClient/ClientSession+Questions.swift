import ChatWire

/// A question whose answer is a notice. It is asked again after each loss of the connection.
enum Question: Equatable, Sendable {
    case audit(RoomName, limit: Int)
    case search(SearchRequest, id: UniqueID)
}

extension ClientSession {
    /// Sends a question now, or as soon as there is a connection.
    mutating func enqueue(_ question: Question) {
        questions.append(question)
        sendQuestions()
    }

    mutating func sendQuestions() {
        guard let welcome else { return }
        for question in questions {
            switch question {
            case .audit(let room, let limit):
                let rows = min(max(limit, ListDigest.window), welcome.limits.rows)
                _ = request(.audit(room, before: 1 << 53 - 1, limit: rows), .question(question))
            case .search(let search, _): _ = request(.search(search), .question(question))
            }
        }
        questions = []
    }

    /// Queues again the questions whose answers were lost with the connection.
    mutating func keepQuestions() {
        for case (_, .question(let question)) in awaited.sorted(by: { $0.key < $1.key }) { questions.append(question) }
    }
}
