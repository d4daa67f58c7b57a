import ChatServer
import ChatWire
import WebSocketTransport

/// One event loop of the server: the connections that it serves, and for each topic the log that they follow.
///
/// As in `CChatSocket`: a reader is a cursor; who falls off the tail of the log is told so once it can write again.
final class EventLoop {
    private let process: Process
    private unowned let world: World
    private let tellBehind: (Link, TopicID, Revision) -> Void
    private let turned: () -> Void
    private var inbox: [LoopCommand] = []
    private var isWoken = false
    private var logs: [TopicID: OutgoingLog] = [:]
    private var links: [Link] = []

    init(
        _ process: Process, in world: World, tellBehind: @escaping (Link, TopicID, Revision) -> Void,
        turned: @escaping () -> Void
    ) {
        self.process = process
        self.world = world
        self.tellBehind = tellBehind
        self.turned = turned
    }

    func submit(_ commands: [LoopCommand]) {
        guard !commands.isEmpty else { return }
        inbox += commands
        guard !isWoken else { return }
        isWoken = true
        process.after(world.threadLatency()) { self.run() }
    }

    func add(_ link: Link) {
        links.append(link)
    }

    func remove(_ link: Link) {
        detach(link)
        links.removeAll { $0 === link }
    }

    /// It is to be closed, and gets nothing more.
    func forsake(_ link: Link) {
        detach(link)
        link.forsake()
    }

    /// The socket takes bytes again.
    func writable(_ link: Link) {
        flush(link)
        forgetWhatEverybodyHas()
    }

    private func run() {
        isWoken = false
        let commands = inbox
        inbox = []
        for command in commands { carryOut(command) }
        flush()
        turned()
    }

    private func carryOut(_ command: LoopCommand) {
        switch command {
        case .send(let frame, let connection): link(connection)?.put(.frame(frame.text))
        case .attach(let connection, let topic, let revision, let frame):
            guard let link = link(connection) else { return }
            if let frame { link.put(.frame(frame.text)) }
            if !link.isForsaken { attach(link, to: topic, at: revision) }
        case .detach(let connection, let topic): link(connection).map { detach($0, from: topic) }
        case .append(let frame, let topic, let revision): append(frame.text, revision, to: topic)
        case .cut(let topic): cut(topic)
        case .close(let connection, let last, let code, _):
            guard let link = link(connection) else { return }
            if let last { link.put(.frame(last.text)) }
            link.put(.closed(code: code))
        }
    }

    private func link(_ connection: ConnectionID) -> Link? {
        links.first { $0.connection == connection }
    }
}

// MARK: - Cursors

extension EventLoop {
    private func attach(_ link: Link, to topic: TopicID, at revision: Revision) {
        let log = logs[topic] ?? OutgoingLog()
        logs[topic] = log
        link.cursors.removeAll { $0.topic == topic }
        link.cursors.append(Cursor(topic: topic, frame: log.next, attached: log.next, revision: revision))
    }

    private func detach(_ link: Link) {
        for topic in link.cursors.map(\.topic) { detach(link, from: topic) }
    }

    private func detach(_ link: Link, from topic: TopicID) {
        guard let place = link.place(in: topic) else { return }
        link.cursors.remove(at: place)
        if !links.contains(where: { $0.place(in: topic) != nil }) { logs[topic] = nil }
    }

    private func append(_ bytes: [UInt8], _ revision: Revision, to topic: TopicID) {
        guard logs[topic] != nil else { return }
        let limit = world.weather.logBytes
        if logs[topic]!.overflows(with: bytes.count, limit: limit) {
            flush()
            if logs[topic]!.overflows(with: bytes.count, limit: limit) { makeRoom(for: bytes.count, in: topic) }
        }
        logs[topic]!.push(bytes, revision)
    }

    private func makeRoom(for size: Int, in topic: TopicID) {
        let lowest = readers(of: topic).map { $0.cursors[$1].frame }.min() ?? logs[topic]!.next
        let first = max(logs[topic]!.firstFrame(keeping: max(0, world.weather.logBytes / 2 - size)), lowest)
        for (link, place) in readers(of: topic) where link.cursors[place].frame < first { fallOff(link, place) }
        logs[topic]!.drop(upTo: first)
    }

    private func cut(_ topic: TopicID) {
        flush()
        guard let log = logs[topic] else { return }
        for (link, place) in readers(of: topic) { fallOff(link, place) }
        logs[topic]!.drop(upTo: log.next)
    }

    private func fallOff(_ link: Link, _ place: Int) {
        let cursor = link.cursors[place]
        guard let log = logs[cursor.topic] else { return }
        if cursor.frame != cursor.attached { link.cursors[place].revision = log.revision(before: cursor.frame) }
        link.cursors[place].state = .behind
    }

    /// Those that follow the log, and have not fallen off it; and which of their cursors does.
    private func readers(of topic: TopicID) -> [(link: Link, place: Int)] {
        links.compactMap { link in
            guard let place = link.place(in: topic), link.cursors[place].state == .live else { return nil }
            return (link, place)
        }
    }
}

// MARK: - Writing

extension EventLoop {
    private func flush() {
        for link in links { flush(link) }
        forgetWhatEverybodyHas()
    }

    private func flush(_ link: Link) {
        while !link.isStalled, let item = link.take() { link.write(item) }
        for place in link.cursors.indices { follow(link, place) }
        for place in link.cursors.indices where !link.isStalled && link.cursors[place].state == .behind {
            link.cursors[place].state = .told
            tellBehind(link, link.cursors[place].topic, link.cursors[place].revision)
        }
    }

    private func follow(_ link: Link, _ place: Int) {
        while !link.isStalled, link.cursors[place].state == .live,
            let bytes = logs[link.cursors[place].topic]?.frame(link.cursors[place].frame)
        {
            link.cursors[place].frame += 1
            link.write(.frame(bytes))
        }
    }

    private func forgetWhatEverybodyHas() {
        for (topic, log) in logs where !log.isEmpty {
            if readers(of: topic).allSatisfy({ $0.cursors[$1].frame == log.next }) { logs[topic]!.drop(upTo: log.next) }
        }
    }
}

// MARK: - What is kept

extension EventLoop {
    /// In logs, and for one connection each.
    var keptBytes: Int { logs.values.reduce(0) { $0 + $1.size } + links.reduce(0) { $0 + $1.queuedBytes } }

    /// Those for whom something is kept.
    var debtors: [Link] { links.filter { $0.queuedBytes > 0 } }

    /// Drops readers that are behind the log's start.
    func shedLogs() {
        let topics = logs.keys.sorted { $0.rawValue < $1.rawValue }
        for topic in topics where logs[topic]?.isEmpty == false { cut(topic) }
    }
}

/// Where a reader stands in a log.
struct Cursor {
    enum State { case live, behind, told }

    let topic: TopicID
    /// The number of the frame that it wants next.
    var frame: Int
    /// `frame` when it was attached: until it moves, `revision` says what the reader holds.
    let attached: Int
    var revision: Revision
    var state = State.live
}

/// Frames back to back, numbered from the beginning of time.
struct OutgoingLog {
    private var frames: [(bytes: [UInt8], revision: Revision)] = []
    private var first = 0
    private(set) var size = 0
    /// Of the frame before `first`.
    private var base: Revision = 0

    var next: Int { first + frames.count }
    var isEmpty: Bool { frames.isEmpty }

    func frame(_ number: Int) -> [UInt8]? {
        number < next ? frames[number - first].bytes : nil
    }

    func revision(before number: Int) -> Revision {
        number == first ? base : frames[number - first - 1].revision
    }

    func overflows(with more: Int, limit: Int) -> Bool {
        size + more > limit && !frames.isEmpty
    }

    mutating func push(_ bytes: [UInt8], _ revision: Revision) {
        frames.append((bytes, revision))
        size += bytes.count
    }

    /// The first frame of those at the end that have at most so many bytes together.
    func firstFrame(keeping bytes: Int) -> Int {
        var number = next
        var kept = 0
        while number > first, kept + frames[number - first - 1].bytes.count <= bytes {
            number -= 1
            kept += frames[number - first].bytes.count
        }
        return number
    }

    mutating func drop(upTo number: Int) {
        guard number > first else { return }
        base = revision(before: number)
        size -= frames[..<(number - first)].reduce(0) { $0 + $1.bytes.count }
        frames.removeFirst(number - first)
        first = number
    }
}
