import ChatRoom
import ChatServer
import ChatWire
import Replicas
import WebSocketTransport

/// One device of a person, which follows the person's rooms, threads or mentions as a client does. Whatever it is sent must fit.
final class InboxDevice {
    private enum Phase: Equatable {
        case away
        case asked(ref: UInt64)
        case following
    }

    let reader: Reader
    let user: UserName
    let list: OwnList
    /// The number of rows that it asks for.
    let limit: Int
    /// What its token grants; the last one first. Those behind it may still be in force at the server.
    private(set) var grants: [Grants]
    private var phase = Phase.away
    private var lastRef: UInt64 = 0
    /// The rooms or threads.
    private(set) var rooms: Replica<MyRoom>?
    private(set) var mentions: Replica<MyMention>?
    /// All that it was sent.
    private(set) var frames: [[UInt8]] = []
    /// The log that the server's event loop sends it, up to this revision; `nil` after it fell off.
    private var log: (topic: TopicID, revision: Revision?)?

    init(_ number: UInt64, of user: UserName, _ grants: Grants, following list: OwnList, limit: Int) {
        reader = Reader(number)
        self.user = user
        self.list = list
        self.limit = limit
        self.grants = [grants]
    }

    var isAway: Bool { phase == .away }
    var isAttached: Bool { log != nil }
    var isFollowing: Bool { phase == .following }

    func subscribe() -> ShardInput {
        lastRef += 1
        phase = .asked(ref: lastRef)
        let resume = list == .mentions ? mentions?.resume() : rooms?.resume()
        return .inbox(.subscribe(list, grants[0], visit: lastRef, ref: lastRef, limit: limit, resume), reader, user)
    }

    func unsubscribe() -> ShardInput {
        phase = .away
        return .inbox(.unsubscribe(list), reader, user)
    }

    func show(_ fresh: Grants) -> ShardInput {
        lastRef += 1
        grants.insert(fresh, at: 0)
        return .inbox(.regrant(list, fresh, ref: lastRef), reader, user)
    }

    /// The server has said that only the next grants count.
    func regranted() {
        grants.removeLast()
    }

    /// - Returns: the topic and the revision, if the device read it.
    func fallOff(_ topic: TopicID) -> (topic: TopicID, revision: Revision)? {
        guard let log, log.topic == topic, let revision = log.revision else { return nil }
        self.log = (topic, nil)
        return (topic, revision)
    }

    func take(_ command: LoopCommand) throws {
        switch command {
        case .attach(_, let topic, let revision, let frame):
            log = (topic, revision)
            if let frame { try take(frame) }
        case .append(let frame, let topic, let revision):
            guard let log, log.topic == topic, log.revision != nil else { return }
            self.log = (topic, revision)
            try take(frame)
        case .detach(_, let topic):
            if log?.topic == topic { log = nil }
        case .send(let frame, _): try take(frame)
        case .close: phase = .away
        case .cut: break
        }
    }

    private func take(_ frame: Frame) throws {
        frames.append(Array(frame.text))
        switch try ServerFrame(json: frame.text) {
        case .snapshot(let ref, .myRooms, let snapshot as ServerFrame.Snapshot<MyRoom>),
            .snapshot(let ref, .myThreads, let snapshot as ServerFrame.Snapshot<MyRoom>):
            if isFor(ref) { rooms = try Replica(snapshot) }
        case .diff(let ref, .myRooms, let epoch, let diff as ListDiff<MyRoom>),
            .diff(let ref, .myThreads, let epoch, let diff as ListDiff<MyRoom>):
            if isFor(ref) { try rooms?.apply(diff, epoch: epoch) }
            guard diff.reloads.isEmpty else { throw Unexpected() }
        case .snapshot(let ref, .myMentions, let snapshot as ServerFrame.Snapshot<MyMention>):
            if isFor(ref) { mentions = try Replica(snapshot) }
        case .diff(let ref, .myMentions, let epoch, let diff as ListDiff<MyMention>):
            if isFor(ref) { try mentions?.apply(diff, epoch: epoch) }
        case .error(let ref?, _):
            if phase == .asked(ref: ref) { phase = .away }
        default: break
        }
    }

    /// Whether a frame of the list is for what the device does now.
    private func isFor(_ ref: UInt64?) -> Bool {
        if let ref, phase == .asked(ref: ref) { phase = .following } else if ref != nil { return false }
        return phase == .following
    }
}
