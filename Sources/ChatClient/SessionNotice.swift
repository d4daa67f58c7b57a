public import ChatWire
public import Replicas

/// An event that a person may want to know about, mostly a failure.
///
/// ```swift
/// let subscription = client.notices.sink { notice in
///     if case .standing(let room, let standing) = notice { print("\(room): you may \(standing.role)") }
///     print(notice)
/// }
/// ```
public enum SessionNotice: Equatable, Sendable, CustomStringConvertible {
    /// The client lost track of a list and subscribes again.
    case resynchronizing(ListName, ReplicaError)
    /// The server does not let the user follow the list.
    case refused(ListName, WireError)
    /// The server has ended a subscription. It stays ended until the list is opened again.
    case ended(ListName, ServerFrame.Ending)
    /// The user's rights in a room, when they are not the usual ones.
    case standing(RoomName, RoomStanding)
    /// Entries of a room's audit log that were asked for.
    case audit(RoomName, AuditPage)
    case auditRefused(RoomName, WireError)
    /// The results of a search, with its id.
    case found(SearchPage, id: UniqueID)
    case searchRefused(WireError, id: UniqueID)
    /// Where a file is to be uploaded, with the id of the request.
    case uploading(UploadPermit, id: UniqueID)
    case uploadRefused(WireError, id: UniqueID)
    /// Links to files that were asked for, with the id of the request.
    case links(FileLinks, id: UniqueID)
    case linksRefused(WireError, id: UniqueID)
    /// People who belong to a room, with the id of the request.
    case members(MembersPage, id: UniqueID)
    case membersRefused(WireError, id: UniqueID)
    /// The server refused to mark all as read.
    case readRefused(RoomName, WireError)
    /// The server refused a page.
    case pageRefused(ListName, RoomPage, WireError)
    /// The server did not store a draft.
    case draftRefused(RoomName, WireError)
    /// The server has stored a message or reminder for later, or `nil`: removed it.
    case laterStored(UniqueID, LaterItem.Plan?)
    /// The server did not store a message or reminder for later, or did not remove it.
    case laterRefused(UniqueID, LaterItem.Plan?, WireError)
    /// The server has stored that the user blocks another one, or does so no more.
    case blockStored(UserName, ClientFrame.Switch)
    /// The server has not stored that.
    case blockRefused(UserName, ClientFrame.Switch, WireError)
    /// There are no older messages.
    case nothingOlder(RoomName)
    /// The token ends soon, and there is no fresh one.
    case noFreshToken(String)
    /// A frame was ignored: it answers no request, or cannot be read.
    case passedOver(String)

    public var description: String { text(RoomLabels()) }

    /// Returns the text for a person who knows the rooms by these labels.
    public func text(_ labels: RoomLabels) -> String {
        switch self {
        case .resynchronizing(let list, let error):
            Self.about(list, "\(Self.text(error)); requesting it again", labels)
        case .refused(let list, let error): Self.refusal(of: list, error, labels)
        case .ended(let list, let ending): Self.about(list, ending.message, labels)
        case .standing(let room, let standing): Self.about(labels[room], "\(standing)")
        case .audit(let room, let page): page.text(of: labels[room])
        case .auditRefused(let room, let error):
            Self.about(labels[room], "the audit log cannot be loaded: \(error.message)")
        case .found(let page, _): "\(page.results.count) results"
        case .searchRefused(let error, _), .uploadRefused(let error, _), .linksRefused(let error, _),
            .membersRefused(let error, _):
            error.message
        case .members(let page, _): "\(page.rows.count) people"
        case .uploading: "a file may be uploaded"
        case .links(let links, _): "\(links.urls.count) links"
        case .readRefused(let room, let error): Self.about(labels[room], "not marked as read: \(error.message)")
        case .pageRefused(.myMentions, _, let error): "older mentions cannot be loaded: \(error.message)"
        case .pageRefused(let list, .older, let error):
            Self.about(list, "older messages cannot be loaded: \(error.message)", labels)
        case .pageRefused(let list, _, let error): Self.about(list, error.message, labels)
        case .draftRefused(let room, let error):
            Self.about(labels[room], "the draft is not on your other devices: \(error.message)")
        case .laterStored(_, let plan?): Self.about(labels[plan.room], "kept for later")
        case .laterStored(_, nil): "cancelled"
        case .laterRefused(_, let plan?, let error):
            Self.about(labels[plan.room], "not kept for later: \(error.message)")
        case .laterRefused(_, nil, let error): "not cancelled: \(error.message)"
        case .blockStored(let user, .on): "\(user) is blocked"
        case .blockStored(let user, .off): "\(user) is not blocked any more"
        case .blockRefused(let user, .on, let error): "\(user) is not blocked: \(error.message)"
        case .blockRefused(let user, .off, let error): "\(user) is still blocked: \(error.message)"
        case .nothingOlder(let room): Self.about(labels[room], "there is nothing older")
        case .noFreshToken(let why): "the token ends soon, and there is no fresh one: \(why)"
        case .passedOver(let what): "passed over: \(what)"
        }
    }

    private static func refusal(of list: ListName, _ error: WireError, _ labels: RoomLabels) -> String {
        switch list {
        case .messages(let room) where room.kind != .open && error.code == .forbidden:
            about(labels[room], "there is no such room, or you are not one of its people")
        case .messages(let room): about(labels[room], error.message)
        case .members(let room): about(labels[room], "the members cannot be loaded: \(error.message)")
        case .pins(let room): about(labels[room], "the pinned messages cannot be loaded: \(error.message)")
        case .myThreads: "the threads that you follow cannot be loaded: \(error.message)"
        case .myRooms: "your rooms cannot be loaded: \(error.message)"
        case .myMentions: "your mentions cannot be loaded: \(error.message)"
        case .myPeople: "display names cannot be loaded: \(error.message)"
        case .myDrafts: "your drafts on other devices cannot be loaded: \(error.message)"
        case .myLater: "your messages and reminders for later cannot be loaded: \(error.message)"
        case .myBlocked: "the users whom you have blocked cannot be loaded: \(error.message)"
        }
    }

    private static func about(_ list: ListName, _ what: String, _ labels: RoomLabels) -> String {
        if let room = list.room { return about(labels[room], what) }
        switch list {
        case .myThreads: return "the threads that you follow: \(what)"
        case .myMentions: return "your mentions: \(what)"
        case .myPeople: return "people's profiles: \(what)"
        case .myDrafts: return "your drafts: \(what)"
        case .myLater: return "your messages and reminders for later: \(what)"
        case .myBlocked: return "the users whom you have blocked: \(what)"
        case .messages, .members, .pins, .myRooms: return "your rooms: \(what)"
        }
    }

    /// - Parameter what: may be in the server's words, which know the room's name only.
    private static func about(_ room: RoomLabel, _ what: String) -> String {
        let text = room.renamed(in: what)
        return text.contains(room.phrase) ? text : "\(room.phrase): \(text)"
    }

    private static func text(_ error: ReplicaError) -> String {
        switch error {
        case .otherEpoch: "the server's history was replaced"
        case .gap(let held, let from): "changes from revision \(held) to \(from) are missing"
        case .unknownOperation(let name): "the server speaks a later version of the protocol ('\(name)')"
        case .malformed(let what): "the server contradicts itself: \(what)"
        case .diverged(let expected, let found):
            "the held rows (\(found.count) rows, digest \(found.digest)) differ from the server's "
                + "(\(expected.count), \(expected.digest))"
        case .stalePage: "a page of messages came too late"
        }
    }
}
