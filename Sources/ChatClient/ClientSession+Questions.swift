import ChatWire

/// A question whose answer is a notice. It is asked again after each loss of the connection.
enum Question: Equatable, Sendable {
    case audit(RoomName, limit: Int)
    case search(SearchRequest, id: UniqueID)
    case upload(UploadRequest, id: UniqueID)
    case links(LinksRequest, id: UniqueID)
    case members(RoomName, MembersSearch, id: UniqueID)
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
            case .upload(let upload, _): _ = request(.upload(upload), .question(question))
            case .links(let links, _): _ = request(.links(links), .question(question))
            case .members(let room, let search, _): _ = request(.membersPage(room, search), .question(question))
            }
        }
        questions = []
    }

    /// Queues again the questions whose answers were lost with the connection.
    mutating func keepQuestions() {
        for case (_, .question(let question)) in awaited.sorted(by: { $0.key < $1.key }) { questions.append(question) }
    }
}

extension Question {
    /// Returns the notice of an answer; `nil` for a frame that answers another kind of question.
    func notice(of answer: ServerFrame) -> SessionNotice? {
        switch (self, answer) {
        case (.audit, .audit(_, let room, let page)): .audit(room, page)
        case (.audit(let room, _), .error(_, let error)): .auditRefused(room, error)
        case (.search(_, let id), .found(_, let page)): .found(page, id: id)
        case (.search(_, let id), .error(_, let error)): .searchRefused(error, id: id)
        case (.upload(_, let id), .uploading(_, let permit)): .uploading(permit, id: id)
        case (.upload(_, let id), .error(_, let error)): .uploadRefused(error, id: id)
        case (.links(let request, let id), .links(_, let links)) where links.urls.count == request.files.count:
            .links(links, id: id)
        case (.links(_, let id), .error(_, let error)): .linksRefused(error, id: id)
        case (.members(_, _, let id), .page(_, _, _, let page as MembersPage)): .members(page, id: id)
        case (.members(_, _, let id), .error(_, let error)): .membersRefused(error, id: id)
        default: nil
        }
    }
}
