import ChatWire

/// The queries without an answer, not counting commands. The chat waits for them at the end of input.
struct OpenQueries: Equatable {
    private var whos = 0
    private var people = 0
    private var audits = 0
    private var searches = 0
    private var links = 0
    private var pins = 0
    private var rooms = 0
    private var threads = 0
    private var mentions = 0
    private var later = 0
    private var blocked = 0
    private var wantsOlderMentions = false
    /// The pages that were asked for. The room answers one at a time.
    private var pages: [Page] = []

    /// A part of the room to load.
    enum Page: Equatable {
        /// A number of messages before the end of the room.
        case earlier(Int)
        case around(PagePlace.Anchor)
    }

    var isEmpty: Bool {
        whos == 0 && people == 0 && audits == 0 && searches == 0 && links == 0 && pins == 0 && rooms == 0
            && threads == 0 && mentions == 0 && later == 0 && blocked == 0 && !wantsOlderMentions && pages.isEmpty
    }

    mutating func requestMembers() { whos += 1 }

    /// - Returns: the number of times that the list was asked for.
    mutating func whoAnswered() -> Int {
        defer { whos = 0 }
        return whos
    }

    mutating func requestPeople() { people += 1 }
    mutating func peopleAnswered() { people = max(0, people - 1) }

    mutating func requestPins() { pins += 1 }

    /// - Returns: the number of times that the pinned messages were asked for.
    mutating func pinsAnswered() -> Int {
        defer { pins = 0 }
        return pins
    }

    /// True when the user asked for their rooms.
    var hasRooms: Bool { rooms > 0 }
    mutating func requestRooms() { rooms += 1 }

    /// - Returns: the number of times that the user's rooms were asked for.
    mutating func roomsAnswered() -> Int {
        defer { rooms = 0 }
        return rooms
    }

    /// True when the user asked for the threads that they follow.
    var hasThreads: Bool { threads > 0 }
    mutating func requestThreads() { threads += 1 }

    /// - Returns: the number of times that the threads were asked for.
    mutating func threadsAnswered() -> Int {
        defer { threads = 0 }
        return threads
    }

    /// True when the user asked for what is kept for later.
    var hasLater: Bool { later > 0 }
    mutating func requestLater() { later += 1 }

    /// - Returns: the number of times that it was asked for.
    mutating func laterAnswered() -> Int {
        defer { later = 0 }
        return later
    }

    /// True when the user asked whom they block.
    var hasBlocked: Bool { blocked > 0 }
    mutating func requestBlocked() { blocked += 1 }

    /// - Returns: the number of times that it was asked for.
    mutating func blockedAnswered() -> Int {
        defer { blocked = 0 }
        return blocked
    }

    /// True when the user asked who mentions them.
    var hasMentions: Bool { mentions > 0 }
    mutating func requestMentions() { mentions += 1 }

    /// - Returns: the number of times that the user's mentions were asked for.
    mutating func mentionsAnswered() -> Int {
        defer { mentions = 0 }
        return mentions
    }

    mutating func requestOlderMentions() { wantsOlderMentions = true }

    /// - Returns: whether older mentions were asked for.
    mutating func olderMentionsAnswered() -> Bool {
        defer { wantsOlderMentions = false }
        return wantsOlderMentions
    }

    mutating func requestAudit() { audits += 1 }
    mutating func auditAnswered() { audits = max(0, audits - 1) }

    mutating func requestLinks() { links += 1 }
    mutating func linksAnswered() { links = max(0, links - 1) }

    mutating func requestSearch() { searches += 1 }
    mutating func searchAnswered() { searches = max(0, searches - 1) }

    /// - Returns: whether to send the request now; otherwise ``pageAnswered()`` returns it later.
    mutating func request(_ page: Page) -> Bool {
        pages.append(page)
        return pages.count == 1
    }

    /// - Returns: the next request to send.
    mutating func pageAnswered() -> Page? {
        if !pages.isEmpty { pages.removeFirst() }
        return pages.first
    }
}
