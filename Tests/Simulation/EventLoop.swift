import ChatWire

/// One event loop of the server: the connections that it serves, and for each topic the log that they follow.
///
/// As in `CChatSocket`: a reader is a cursor; who falls off the tail of the log is told so once it can write again.
final class EventLoop {
    enum Command {
        case send(Link, [UInt8])
        case attach(Link, topic: Int, Revision)
        case detach(Link, topic: Int)
        case append(topic: Int, Revision, [UInt8])
        case cut(topic: Int)
        case close(Link, code: UInt16)
    }

    private let process: Process
    private unowned let world: World
    private let tellBehind: (Link, _ topic: Int, Revision) -> Void
    private var inbox: [Command] = []
    private var isWoken = false
    private var logs: [Int: OutgoingLog] = [:]
    private var links: [Link] = []

    init(_ process: Process, in world: World, tellBehind: @escaping (Link, _ topic: Int, Revision) -> Void) {
        self.process = process
        self.world = world
        self.tellBehind = tellBehind
    }

    func post(_ command: Command) {
        inbox.append(command)
        guard !isWoken else { return }
        isWoken = true
        process.after(world.threadLatency()) { self.run() }
    }

    func add(_ link: Link) {
        links.append(link)
    }

    func remove(_ link: Link) {
        if let topic = link.cursor?.topic { detach(link, from: topic) }
        links.removeAll { $0 === link }
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
    }

    private func carryOut(_ command: Command) {
        switch command {
        case .send(let link, let bytes): link.queue.append(.frame(bytes))
        case .attach(let link, let topic, let revision):
            if links.contains(where: { $0 === link }) { attach(link, to: topic, at: revision) }
        case .detach(let link, let topic): detach(link, from: topic)
        case .append(let topic, let revision, let bytes): append(bytes, revision, to: topic)
        case .cut(let topic): cut(topic)
        case .close(let link, let code): link.queue.append(.closed(code: code))
        }
    }
}

// MARK: - Cursors

extension EventLoop {
    private func attach(_ link: Link, to topic: Int, at revision: Revision) {
        let log = logs[topic] ?? OutgoingLog()
        logs[topic] = log
        link.cursor = Cursor(topic: topic, frame: log.next, attached: log.next, revision: revision)
    }

    private func detach(_ link: Link, from topic: Int) {
        guard link.cursor?.topic == topic else { return }
        link.cursor = nil
        if !links.contains(where: { $0.cursor?.topic == topic }) { logs[topic] = nil }
    }

    private func append(_ bytes: [UInt8], _ revision: Revision, to topic: Int) {
        guard logs[topic] != nil else { return }
        let limit = world.weather.logBytes
        if logs[topic]!.overflows(with: bytes.count, limit: limit) {
            flush()
            if logs[topic]!.overflows(with: bytes.count, limit: limit) { makeRoom(for: bytes.count, in: topic) }
        }
        logs[topic]!.push(bytes, revision)
    }

    private func makeRoom(for size: Int, in topic: Int) {
        let lowest = readers(of: topic).map { $0.cursor!.frame }.min() ?? logs[topic]!.next
        let first = max(logs[topic]!.firstFrame(keeping: max(0, world.weather.logBytes / 2 - size)), lowest)
        for link in readers(of: topic) where link.cursor!.frame < first { fallOff(link) }
        logs[topic]!.drop(upTo: first)
    }

    private func cut(_ topic: Int) {
        flush()
        guard let log = logs[topic] else { return }
        for link in readers(of: topic) { fallOff(link) }
        logs[topic]!.drop(upTo: log.next)
    }

    private func fallOff(_ link: Link) {
        guard let cursor = link.cursor, let log = logs[cursor.topic] else { return }
        if cursor.frame != cursor.attached { link.cursor!.revision = log.revision(before: cursor.frame) }
        link.cursor!.place = .behind
    }

    /// Those that follow the log, and have not fallen off it.
    private func readers(of topic: Int) -> [Link] {
        links.filter { $0.cursor?.topic == topic && $0.cursor?.place == .live }
    }
}

// MARK: - Writing

extension EventLoop {
    private func flush() {
        for link in links { flush(link) }
        forgetWhatEverybodyHas()
    }

    private func flush(_ link: Link) {
        while !link.isStalled, !link.queue.isEmpty { link.write(link.queue.removeFirst()) }
        while !link.isStalled, let cursor = link.cursor, cursor.place == .live,
            let bytes = logs[cursor.topic]?.frame(cursor.frame)
        {
            link.cursor!.frame += 1
            link.write(.frame(bytes))
        }
        guard !link.isStalled, let cursor = link.cursor, cursor.place == .behind else { return }
        link.cursor!.place = .told
        tellBehind(link, cursor.topic, cursor.revision)
    }

    private func forgetWhatEverybodyHas() {
        for topic in Set(links.compactMap { $0.cursor?.topic }) {
            let next = logs[topic]!.next
            if readers(of: topic).allSatisfy({ $0.cursor!.frame == next }) { logs[topic]!.drop(upTo: next) }
        }
    }
}

/// Where a reader stands in a log.
struct Cursor {
    enum Place { case live, behind, told }

    let topic: Int
    /// The number of the frame that it wants next.
    var frame: Int
    /// `frame` when it was attached: until it moves, `revision` says what the reader holds.
    let attached: Int
    var revision: Revision
    var place = Place.live
}

/// Frames back to back, numbered from the beginning of time.
struct OutgoingLog {
    private var frames: [(bytes: [UInt8], revision: Revision)] = []
    private var first = 0
    private var size = 0
    /// Of the frame before `first`.
    private var base: Revision = 0

    var next: Int { first + frames.count }

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
