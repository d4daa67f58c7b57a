import JSON

/// The replies to a message, as its row sums them up. The replies themselves are the rows of its thread.
public struct ThreadSummary: Equatable, Sendable {
    /// The number of replies, at least 1.
    public var count: Int
    /// The time of the last reply.
    public var time: Milliseconds
    /// The people who wrote last, each once, the last one first; at most three.
    public var people: [UserName]

    /// The most people that a summary names.
    package static let most = 3
    /// The number of last replies in which it looks for them.
    package static let window = 16

    public init(count: Int, time: Milliseconds, people: [UserName]) {
        (self.count, self.time, self.people) = (count, time, people)
    }

    /// Makes the summary of a thread; `nil` if it has no replies.
    ///
    /// - Parameter last: its last ``window`` replies, the last one first. `nil` stands for an author who is not known.
    package init?(count: Int, last: [(author: UserName?, time: Milliseconds)]) {
        guard count > 0, let time = last.first?.time else { return nil }
        var people: [UserName] = []
        for case (let author?, _) in last where !people.contains(author) { people.append(author) }
        self.init(count: count, time: time, people: Array(people.prefix(Self.most)))
    }
}

extension ThreadSummary {
    /// The summary as a store keeps it: the object of the wire.
    package var stored: String {
        var json = JSONWriter()
        json.object { write(to: &$0) }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// `nil` unless `text` is what ``stored`` makes.
    package init?(stored text: String) {
        guard let envelope = try? Envelope(Array(text.utf8)), let summary = try? ThreadSummary(envelope.fields()) else {
            return nil
        }
        self = summary
    }

    init(_ fields: Fields) throws(WireError) {
        self.init(
            count: try fields.count("count"), time: try fields.milliseconds("time"),
            people: try fields.knownUsers("people"))
    }

    func write(to json: inout JSONWriter) {
        json.number("count", UInt64(count))
        json.number("time", time)
        json.array("people", people) { $0.string(nil, $1.description) }
    }
}

extension JSONWriter {
    mutating func thread(_ summary: ThreadSummary?) {
        guard let summary else { return }
        object("thread") { summary.write(to: &$0) }
    }
}

extension Fields {
    func thread() throws(WireError) -> ThreadSummary? {
        guard let value = optional("thread") else { return nil }
        return try ThreadSummary(Fields(value, path: name("thread")))
    }
}
