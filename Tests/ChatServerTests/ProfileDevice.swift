import ChatRoom
import ChatServer
import ChatWire
import Replicas
import WebSocketTransport

/// One device of a person, which follows the profiles that it asks for as a client does. Whatever it is sent must fit.
final class ProfileDevice {
    private enum Phase: Equatable {
        case away
        case asked(ref: UInt64)
        case following
    }

    let reader: Reader
    let user: UserName
    /// The server that it is connected to, or was.
    var server = 0
    /// Those whom it shows, in the order in which it came to show them.
    private(set) var wanted: [UserName] = []
    private var phase = Phase.away
    private var lastRef: UInt64 = 0
    private(set) var people: Replica<Person>?
    /// The number of answers that were diffs of the rows that it held.
    private(set) var keptAnswers = 0
    /// The log that the server's event loop sends it, up to this revision; `nil` after it fell off.
    private var log: (topic: TopicID, revision: Revision?)?

    init(_ number: UInt64, of user: UserName) {
        reader = Reader(number)
        self.user = user
    }

    var isAway: Bool { phase == .away }
    var isFollowing: Bool { phase == .following }

    func want(_ names: [UserName], most: Int) -> ShardInput {
        wanted = (wanted.filter { !names.contains($0) } + names).suffix(most)
        return ask(names)
    }

    private func ask(_ names: [UserName]) -> ShardInput {
        lastRef += 1
        return .stored(.myPeople, .request(names, ref: lastRef), reader, user)
    }

    /// Asks for all whom it shows, then for the list.
    func connect() -> [ShardInput] {
        let questions = wanted.isEmpty ? [] : [ask(wanted)]
        lastRef += 1
        phase = .asked(ref: lastRef)
        return questions + [
            .stored(.myPeople, .subscribe(visit: lastRef, ref: lastRef, people?.resume()), reader, user)
        ]
    }

    func disconnect() -> ShardInput {
        lose()
        return .stored(.myPeople, .unsubscribe, reader, user)
    }

    /// The connection is lost.
    func lose() {
        (phase, log) = (.away, nil)
    }

    /// - Returns: the revision, if the device read that topic.
    func fallOff(_ topic: TopicID) -> Revision? {
        guard let log, log.topic == topic, let revision = log.revision else { return nil }
        self.log = (topic, nil)
        return revision
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
        case .detach(_, let topic): if log?.topic == topic { log = nil }
        case .send(let frame, _): try take(frame)
        case .close: lose()
        case .cut: break
        }
    }

    private func take(_ frame: Frame) throws {
        switch try ServerFrame(json: frame.text) {
        case .snapshot(let ref, .myPeople, let snapshot as ServerFrame.Snapshot<Person>):
            if isFor(ref) { people = try Replica(snapshot) }
        case .diff(let ref, .myPeople, let epoch, let diff as ListDiff<Person>):
            guard isFor(ref) else { return }
            if diff.kept != nil { keptAnswers += 1 }
            try people?.apply(diff, epoch: epoch)
        case .error(let ref?, _): if phase == .asked(ref: ref) { lose() }
        default: break
        }
    }

    /// Whether a frame of the list is for what the device does now.
    private func isFor(_ ref: UInt64?) -> Bool {
        if let ref, phase == .asked(ref: ref) { phase = .following } else if ref != nil { return false }
        return phase == .following
    }
}
