import ChatClient
import ChatWire
import TestSupport

/// Sessions, a server and a network between them that loses, cuts and repeats, all from one seed.
struct SimulatedWorld {
    /// What goes wrong, each as a chance for one step or frame.
    struct Trouble {
        var cut = 0.0
        var skippedDiff = 0.0
        var doubledDiff = 0.0
        var wrongDigest = 0.0
        var rateLimited = 0.0
    }

    struct Client {
        var session: ClientSession
        /// The connection it has; `nil` for none.
        var connection: Int?
        /// Said, and not yet heard by the server.
        var outgoing: [ClientFrame] = []
        var given: [Command] = []
        var outcomes: [CommandID: Command.Outcome] = [:]
        var causes: [RoomChange.Cause] = []
        var notices: [SessionNotice] = []
        var isBroken = false
    }

    var server = SimulatedServer()
    var clients: [Client]
    var trouble: Trouble
    var random: SplitMix64
    var now: Milliseconds = 0
    private var lastConnection = 0

    init(clients count: Int, trouble: Trouble, seed: UInt64) {
        random = SplitMix64(seed: seed)
        self.trouble = trouble
        clients = (0..<count).map { index in
            let user = ClientFrame.Credential.user(UserName("user\(index)")!)
            return Client(session: ClientSession(credential: user, backoff: Backoff(seed: seed &+ UInt64(index))))
        }
        for index in clients.indices {
            tell(index, .open(SimulatedServer.room, limit: 32))
            tell(index, .start)
        }
    }

    mutating func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &random) < probability
    }

    mutating func tell(_ index: Int, _ input: SessionInput) {
        for effect in clients[index].session.receive(input, at: now) { perform(effect, for: index) }
    }

    private mutating func perform(_ effect: SessionEffect, for index: Int) {
        switch effect {
        case .connect:
            lastConnection += 1
            clients[index].connection = lastConnection
            server.accept(lastConnection)
            tell(index, .connected)
        case .send(let frame): clients[index].outgoing.append(frame)
        case .disconnect: hangUp(index)
        case .state(.ended): clients[index].isBroken = true
        case .state: break
        case .changed(let change): clients[index].causes.append(change.cause)
        case .answered(let command, let outcome): clients[index].outcomes[command.id] = outcome
        case .notice(let notice): clients[index].notices.append(notice)
        }
    }

    private mutating func hangUp(_ index: Int) {
        if let connection = clients[index].connection { server.drop(connection) }
        clients[index].connection = nil
        clients[index].outgoing = []
    }

    /// The connection breaks: what is on its way in either direction is lost, what the server heard is done.
    mutating func cut(_ index: Int) {
        guard clients[index].connection != nil else { return }
        hangUp(index)
        tell(index, .disconnected(.closed(code: 1006, reason: "")))
    }

    /// One frame of one client, in one direction; or a diff for all; or trouble.
    mutating func step() {
        now += 10
        let index = Int.random(in: clients.indices, using: &random)
        if chance(trouble.cut) { cut(index) }
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: hear(index)
        case 2, 3: tellOne(index)
        default: publish()
        }
        if let deadline = clients[index].session.deadline, deadline <= now { tell(index, .tick) }
    }

    private mutating func hear(_ index: Int) {
        guard let connection = clients[index].connection, !clients[index].outgoing.isEmpty else { return }
        let frame = clients[index].outgoing.removeFirst()
        if frame.isCommand, chance(trouble.rateLimited) {
            server.say(.error(ref: frame.ref, WireError(.rateLimited, "slowly", retryAfter: 50)), on: connection)
        } else {
            server.receive(frame, on: connection)
        }
    }

    private mutating func tellOne(_ index: Int) {
        guard let connection = clients[index].connection, let frame = server.takeFrame(for: connection) else { return }
        tell(index, .received(frame))
    }

    private mutating func publish() {
        for connection in clients.compactMap(\.connection) {
            guard var diff = server.takeDiff(for: connection), !chance(trouble.skippedDiff) else { continue }
            if chance(trouble.wrongDigest) {
                diff.proof = ListProof(count: diff.proof.count, digest: diff.proof.digest ^ 1)
            }
            let frame = ServerFrame.diff(ref: nil, SimulatedServer.list, server.epoch, diff)
            server.say(frame, on: connection)
            if chance(trouble.doubledDiff) { server.say(frame, on: connection) }
        }
    }

    /// Lets everything arrive, with nothing going wrong any more, until nobody has anything to say.
    mutating func settle() {
        trouble = Trouble()
        for _ in 0..<200_000 {
            step()
            if isQuiet { return }
            if clients.allSatisfy({ $0.outgoing.isEmpty }), let next = clients.compactMap(\.session.deadline).min() {
                let isAllHeard = clients.allSatisfy { client in
                    client.connection.map { server.connections[$0]?.outgoing.isEmpty ?? true } ?? true
                }
                if isAllHeard { now = max(now, next - 10) }
            }
        }
    }

    private var isQuiet: Bool {
        clients.allSatisfy { client in
            guard let connection = client.connection, let state = server.connections[connection] else { return false }
            return client.outgoing.isEmpty && state.outgoing.isEmpty && client.session.unanswered == 0
                && client.session.view(of: SimulatedServer.room)?.revision == server.revision
        }
    }
}

extension ClientFrame {
    var isCommand: Bool {
        switch request {
        case .send, .edit, .delete, .react: true
        case .hello, .subscribe, .unsubscribe, .page, .typing, .read, .ping: false
        }
    }
}
