import JSON

/// A request for people who belong to a room, in the order of their names' bytes.
///
/// ```swift
/// let search = MembersSearch("ann", limit: 20)  // ann, Anna Karenina, and bob, who is called "Uncle Ann"
/// ```
public struct MembersSearch: Equatable, Sendable {
    /// The text to find: each word of it begins a word of the user's name or display name, as ``SearchWord`` compares words. Empty
    /// for everyone.
    public let text: String
    /// The name after which the page begins; `nil` for the first page.
    public let after: UserName?
    /// The greatest number of people.
    public let limit: Int

    /// The greatest length of ``text``, in bytes.
    public static let longestText = 256

    public init(_ text: String = "", after: UserName? = nil, limit: Int) {
        (self.text, self.after, self.limit) = (text, after, limit)
    }

    /// Returns the test for a user's name and display name.
    public var matches: @Sendable (UserName, DisplayName?) -> Bool {
        let sought = SearchWord.words(of: text)
        return { user, name in
            guard !sought.isEmpty else { return true }
            let words = SearchWord.words(of: user.description) + SearchWord.words(of: name?.description ?? "")
            return sought.allSatisfy { part in words.contains { $0.folded.hasPrefix(part.folded) } }
        }
    }
}

/// People who belong to a room, as of when they were read. No diff concerns them.
///
/// - Shape: `rows` in the order of the names' bytes, each in the section that it has in the list of members, or would have.
public struct MembersPage: ListContent {
    public var rows: [Member]
    /// The name after which the next page begins; `nil` for the last page. A page that was searched in part only has fewer people
    /// than the limit, and a name.
    public var after: UserName?

    public init(rows: [Member], after: UserName?) {
        (self.rows, self.after) = (rows, after)
    }
}

extension MembersSearch {
    func write(to json: inout JSONWriter) {
        if !text.isEmpty { json.string("find", text) }
        if let after { json.string("after", after.description) }
    }

    init(_ fields: Fields, limit: Int) throws(WireError) {
        for key in ["before", "around"] where fields.optional(key) != nil {
            throw fields.error(key, "pages of members have only `after`, a name, and `find`, a text")
        }
        let text = try fields.optionalText("find") ?? ""
        guard text.utf8.count <= Self.longestText else {
            throw fields.error("find", "has \(text.utf8.count) bytes, must have at most \(Self.longestText)")
        }
        self.init(
            text, after: try fields.optional("after") == nil ? nil : fields.user("after", .known), limit: limit)
    }
}
