import ChatRoom
import ChatWire

/// One shard's lists of each kind whose rows are what the store keeps of people.
struct StoredLists: ~Copyable {
    private var profiles: StoredListsState<ProfileList>
    private var drafts: StoredListsState<DraftList>
    private var later: StoredListsState<LaterList>
    private var blocked: StoredListsState<BlockedList>

    init(_ settings: ShardSettings, topics: Topics, caching space: CacheSpace) {
        profiles = StoredListsState(settings, topics: topics, caching: space)
        drafts = StoredListsState(settings, topics: topics, caching: space)
        later = StoredListsState(settings, topics: topics, caching: space)
        blocked = StoredListsState(settings, topics: topics, caching: space)
    }

    /// About the bytes of all lists.
    var bytes: Int { profiles.bytes + drafts.bytes + later.bytes + blocked.bytes }
    var isServing: Bool { profiles.isServing || drafts.isServing || later.isServing || blocked.isServing }

    mutating func handle(
        _ request: StoredListRequest, from reader: Reader, of user: UserName, to list: ListName, _ turn: inout ShardTurn
    ) {
        switch list {
        case .myDrafts: drafts.handle(request, from: reader, of: user, &turn)
        case .myLater: later.handle(request, from: reader, of: user, &turn)
        case .myBlocked: blocked.handle(request, from: reader, of: user, &turn)
        default: profiles.handle(request, from: reader, of: user, &turn)
        }
    }

    /// Applies an answer of the store, if it is about such a list.
    ///
    /// - Returns: whether it is.
    mutating func handle(_ answer: InboxAnswer, _ turn: inout ShardTurn) -> Bool {
        switch answer {
        case .profiles(let names, let answer): profiles.handle(answer, of: names, &turn)
        case .drafts(let names, let answer): drafts.handle(answer, of: names, &turn)
        case .later(let names, let answer): later.handle(answer, of: names, &turn)
        case .blocks(let names, let answer): blocked.handle(answer, of: names, &turn)
        case .person, .rooms, .room, .mentions, .mentionsPage: return false
        }
        return true
    }

    /// The reader fell off the outgoing log. It holds this revision.
    mutating func fellBehind(
        _ reader: Reader, of user: UserName, _ list: ListName, at revision: Revision, _ turn: inout ShardTurn
    ) {
        switch list {
        case .myDrafts: drafts.fellBehind(reader, of: user, at: revision, &turn)
        case .myLater: later.fellBehind(reader, of: user, at: revision, &turn)
        case .myBlocked: blocked.fellBehind(reader, of: user, at: revision, &turn)
        default: profiles.fellBehind(reader, of: user, at: revision, &turn)
        }
    }

    /// Marks the data of these people as needing a reload.
    mutating func invalidate(_ names: [UserName]) {
        profiles.invalidate(names)
        drafts.invalidate(names)
        later.invalidate(names)
        blocked.invalidate(names)
    }

    /// Marks the data of all people as needing a reload.
    mutating func invalidateAll() {
        profiles.invalidateAll()
        drafts.invalidateAll()
        later.invalidateAll()
        blocked.invalidateAll()
    }

    /// Refreshes everything once, because news may be lost.
    mutating func refreshAll() {
        profiles.refreshAll()
        drafts.refreshAll()
        later.refreshAll()
        blocked.refreshAll()
    }

    /// The alarm of the lists of this name went off.
    mutating func wake(_ list: ListName) {
        switch list {
        case .myDrafts: drafts.wake()
        case .myLater: later.wake()
        case .myBlocked: blocked.wake()
        default: profiles.wake()
        }
    }

    /// Makes the queries and diffs that are due. To be called at the end of each turn.
    mutating func flush(_ turn: inout ShardTurn) {
        profiles.flush(&turn)
        drafts.flush(&turn)
        later.flush(&turn)
        blocked.flush(&turn)
    }

    /// Memory is short.
    mutating func releaseMemory(_ turn: inout ShardTurn) {
        profiles.releaseMemory(&turn)
        drafts.releaseMemory(&turn)
        later.releaseMemory(&turn)
        blocked.releaseMemory(&turn)
    }

    mutating func forgetDeliveries() {
        profiles.forgetDeliveries()
        drafts.forgetDeliveries()
        later.forgetDeliveries()
        blocked.forgetDeliveries()
    }
}
