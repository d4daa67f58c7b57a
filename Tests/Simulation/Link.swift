import ChatRoom
import ChatServer
import ChatWire
import WebSocketTransport

/// One connection, as its client, the network and the server know it.
final class Link {
    enum Up {
        case frame([UInt8])
        case closed
    }

    /// Frames that the server wants written.
    enum Out {
        case opened
        case frame([UInt8])
        case closed(code: UInt16)

        var size: Int {
            if case .frame(let bytes) = self { bytes.count } else { 0 }
        }
    }

    enum Down {
        case opened
        case frame(ServerFrame)
        case closed(code: UInt16)
    }

    let number: UInt64
    unowned let client: Client
    unowned let server: Server
    private unowned let world: World

    /// The client's requests on this connection, and those that were answered.
    var asked: [UInt64: ClientFrame.Request] = [:]
    var answered: Set<UInt64> = []
    /// Of requests about a room in which their user had no place then, how often the user had come or gone.
    private(set) var absences: [UInt64: Int] = [:]
    /// The rows read for a page, before they are brought to the present.
    var read: [UInt64: ListPage<Message>] = [:]
    var isOpen = false

    // At the server:
    var session: SessionState?
    var isStalled = false
    private var queue: [Out] = []
    private(set) var queuedBytes = 0
    /// More was kept for it than for anybody else: nothing more is.
    private(set) var isForsaken = false
    /// One for each room that it follows.
    var cursors: [Cursor] = []
    /// When it was first told of its user's list of rooms.
    var listed: Milliseconds?
    /// The rooms in which the sabotage took its user for somebody else.
    var isMistaken: Set<RoomName> = []
    /// The rooms' states that the connection was told.
    var hearings: [RoomName: Hearing] = [:]

    struct Hearing {
        /// The reader's revision and history once it has read everything written.
        var written: Revision?
        var disk = 0
        /// The revision at which its last subscription began.
        var admitted: Revision = 0
        /// It was to be put out, and was not.
        var isOverstaying = false
        /// True if the reader was told that its subscription has ended, and has had no answer since.
        var isEnded = false
    }

    private(set) lazy var up = Pipe<Up>(to: server.process) { [unowned self] in server.hear($0, from: self) }
    private(set) lazy var down = Pipe<Down>(to: client.process) { [unowned self] in world.hear($0, from: self) }

    /// - Parameter number: as the transport's: it begins with that of its loop.
    init(_ number: UInt64, client: Client, server: Server, world: World) {
        self.number = number
        self.client = client
        self.server = server
        self.world = world
    }

    var connection: ConnectionID { ConnectionID(number) }
    var reader: Reader { Reader(connection) }
    var loop: Int { connection.loop }

    func place(in topic: TopicID) -> Int? {
        cursors.firstIndex { $0.topic == topic }
    }

    // MARK: - At the server

    /// To be written, once the socket takes it.
    func put(_ item: Out) {
        guard !isForsaken else { return }
        queue.append(item)
        queuedBytes += item.size
    }

    func take() -> Out? {
        guard !queue.isEmpty else { return nil }
        queuedBytes -= queue[0].size
        return queue.removeFirst()
    }

    /// Discards what waits for the connection, tells it why, and closes it.
    func forsake() {
        (queue, queuedBytes) = ([], 0)
        put(.closed(code: CloseCode.owesMost))
        isForsaken = true
    }

    /// Sends a request.
    func ask(_ frame: ClientFrame) {
        asked[frame.ref] = frame.request
        if let room = frame.request.room, room.kind != .open {
            absences[frame.ref] = world.absences(of: client.user, from: room)
        }
        say(.frame(frame.json))
    }

    func say(_ item: Up) {
        guard !isCut else { return }
        up.put(item, after: world.latency())
    }

    /// Gives bytes to the socket, which may be full then.
    func write(_ item: Out) {
        guard let item = read(item) else { return }
        if case .closed = item { server.process.after(0) { [self] in server.lose(self) } }
        guard !isCut else { return }
        down.put(item, after: world.latency())
        if world.chance(world.weather.fullSockets) { stall(for: world.upTo(3_000)) }
    }

    /// The bytes as the client will read them.
    private func read(_ item: Out) -> Down? {
        switch item {
        case .opened: return .opened
        case .closed(let code): return .closed(code: code)
        case .frame(let bytes):
            do throws(FrameError) {
                let frame = try ServerFrame(json: bytes)
                world.written(bytes, frame, on: self)
                return .frame(frame)
            } catch {
                world.complain("client \(client.index) cannot read what the server says: \(error)")
                return nil
            }
        }
    }

    /// The socket takes no bytes for a while.
    func stall(for time: Milliseconds) {
        guard !isStalled else { return }
        isStalled = true
        server.process.after(time) { [self] in
            isStalled = false
            server.loops[loop].writable(self)
        }
    }

    private(set) var isCut = false

    /// Nothing arrives any more, in either direction.
    func cut() {
        isCut = true
        up.spill()
        down.spill()
    }
}
