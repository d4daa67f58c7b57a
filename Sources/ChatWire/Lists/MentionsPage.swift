import JSON

/// A message that mentions a person, as the place before which a page of older ones ends.
///
/// The message need not be there any more.
public struct MentionPlace: Equatable, Sendable {
    public let id: MyMention.ID
    public let time: Milliseconds

    public init(id: MyMention.ID, time: Milliseconds) {
        self.id = id
        self.time = time
    }

    public init(_ mention: MyMention) {
        self.init(id: mention.id, time: mention.time)
    }
}

/// Messages that mention a person, from before a place, as of when they were read. No diff concerns them.
///
/// - Shape: `rows` in the order of their times.
public struct MentionsPage: ListContent {
    public var rows: [MyMention]
    /// True when there are older ones.
    public var more: Bool

    public init(rows: [MyMention], more: Bool) {
        self.rows = rows
        self.more = more
    }
}

extension MentionPlace {
    func write(_ key: String, to json: inout JSONWriter) {
        json.object(key) { json in
            MyMention.write(id, as: "id", to: &json)
            json.number("time", time)
        }
    }
}

extension Fields {
    func mentionPlace() throws(WireError) -> MentionPlace {
        for key in ["after", "around"] where optional(key) != nil {
            throw error(key, "pages of \(ListName.myMentions) have only `before`")
        }
        let fields = try Fields(required("before", "a mention's `id` and `time`"), path: "before")
        let id = try MyMention.id("id", fields.required("id", "a string"), of: fields)
        return MentionPlace(id: id, time: try fields.milliseconds("time"))
    }
}
