import ChatWire
import TestSupport

/// The faults of one schedule and their severity, drawn from the schedule's seed.
struct Weather {
    enum Trouble: CaseIterable {
        /// A connection breaks; each side learns of it in its own time.
        case cut
        /// A connection carries nothing any more, and nobody says so.
        case silence
        /// A reader takes nothing for a while.
        case stall
        /// SIGSTOP, and SIGCONT later.
        case stoppedClient, stoppedServer
        /// kill -9, and a start on the same disk.
        case crash
        case slowDisk, failingDisk
        /// Nothing can be written: it is refused at once, or hangs until nobody waits for it any more. Reads go on.
        case readOnlyDisk, hangingCommits
        /// One server reaches neither the store nor the other servers for a while.
        case partition
        /// Another server says that the store has what it has not.
        case rumour
        /// A standby takes over that lacks the last that was acknowledged; the server goes on, or starts on it.
        case failover
        /// The server's time of day jumps.
        case clockJump
        /// The disk is replaced by an empty one.
        case newDisk
    }

    /// Each the longest of its kind, in milliseconds.
    var latency: Milliseconds
    var threadLatency: Milliseconds
    var diskLatency: Milliseconds
    /// The probability that a frame takes up to three seconds.
    var lateFrames: Double
    /// The probability that a socket is full after a frame.
    var fullSockets: Double
    /// The probability that a command is sent again under another number, though its answer may be on its way.
    var repeatedCommands: Double
    /// True if a room waits for its disk, as it does today; otherwise it goes on meanwhile, as its state allows.
    var readsBlock: Bool
    /// True if somebody moderates and puts people out.
    var isModerated: Bool
    /// True if people write in two rooms.
    var hasTwoRooms: Bool
    /// True if two people's names look the same: one came through another server, of an earlier version.
    var hasTwins: Bool
    /// True if people are members of rooms, mention each other, set read marks and follow their lists of rooms.
    var hasMembers: Bool
    /// The number of rows that people's lists of rooms have of each section that is not shown whole.
    var shownRooms: Int
    /// True if there may be a private and a direct room.
    var hasClosedRooms: Bool
    /// True if somebody has two devices under one name.
    var hasDevices: Bool
    /// The number of servers on the disk, and of shards in each.
    var servers: Int
    var shards: Int
    /// The number of bytes that may be kept for readers.
    var budget: Int
    /// The number of messages that the store keeps; `nil` for all.
    var kept: Int?
    /// The number of operations in each room while everybody is away for longer than the store remembers, if so.
    var missed: Int?
    var disk: Disk.Kind
    /// The number of operations in one transaction, and of those that may wait for the disk.
    var batch: Int
    var waiting: Int
    /// The number of transactions that may be under way at the same time, and the time after which another one begins.
    var lanes: Int
    var lateness: Milliseconds
    var logBytes: Int
    var limits = WireLimits()
    /// The number of standings up to which a room reads them all.
    var fewStandings = 256
    var troubles: [Trouble]
    /// From one trouble to the next, at most.
    var calm: Milliseconds
    private(set) var isCalm = false

    init(using random: inout SplitMix64) {
        latency = [2, 30, 300].randomElement(using: &random)!
        threadLatency = [0, 1, 20].randomElement(using: &random)!
        diskLatency = [0, 3, 60].randomElement(using: &random)!
        lateFrames = [0, 0, 0.02].randomElement(using: &random)!
        fullSockets = [0, 0.02, 0.2].randomElement(using: &random)!
        repeatedCommands = [0, 0.1].randomElement(using: &random)!
        readsBlock = .random(using: &random)
        isModerated = .random(using: &random)
        batch = [1, 3, 2_048].randomElement(using: &random)!
        waiting = [2, 65_536, 65_536].randomElement(using: &random)!
        // What is refused is said again later: a ban might come after the pardon at the end.
        if isModerated { waiting = 65_536 }
        lanes = [1, 3].randomElement(using: &random)!
        lateness = [2, 40].randomElement(using: &random)!
        logBytes = [700, 2_500, 65_536].randomElement(using: &random)!
        limits.pending = [2, 256].randomElement(using: &random)!
        limits.rows = [32, 500].randomElement(using: &random)!
        limits.files = Attachment.most
        troubles = Trouble.allCases.filter { ![.newDisk, .failover].contains($0) && .random(using: &random) }
        if Int.random(in: 0..<20, using: &random) == 0 { troubles.append(.newDisk) }
        if Int.random(in: 0..<6, using: &random) == 0 { troubles.append(.failover) }
        calm = [600, 2_000, 6_000].randomElement(using: &random)!
        kept = [nil, 0, 10, 40].randomElement(using: &random)!
        hasTwoRooms = Int.random(in: 0..<3, using: &random) == 0
        hasTwins = Int.random(in: 0..<3, using: &random) == 0
        hasMembers = Int.random(in: 0..<3, using: &random) == 0
        hasDevices = hasMembers && .random(using: &random)
        shownRooms = [1, 2, 100].randomElement(using: &random)!
        hasClosedRooms = hasMembers && .random(using: &random)
        // A client follows so many lists then. If the answers to fewer may be under way, it is refused over and over.
        if hasMembers { limits.pending = max(limits.pending, 8) }
        servers = [1, 1, 2, 3].randomElement(using: &random)!
        shards = [1, 1, 3].randomElement(using: &random)!
        budget = [6_000, 40_000, 1 << 20].randomElement(using: &random)!
        disk = Int.random(in: 0..<24, using: &random) == 0 ? .file : .memory
        if Int.random(in: 0..<8, using: &random) == 0 { chooseAbsence(using: &random) }
        if isModerated { limits.standings = [4, 6, 10_000].randomElement(using: &random)! }
        fewStandings = [0, 2, 256].randomElement(using: &random)!
    }

    private mutating func chooseAbsence(using random: inout SplitMix64) {
        missed = [1, 7, 60, 400].randomElement(using: &random)!
        switch Int.random(in: 0..<125, using: &random) {
        case 0:
            missed = [20_000, 100_000].randomElement(using: &random)!
            (kept, hasTwoRooms) = (nil, false)
            // What a file forgets costs little. Another history would do all of it once more.
            disk = missed == 100_000 ? .file : .memory
            if missed == 100_000 { troubles.removeAll { $0 == .failover } }
        case 1...3: missed = 4_000
        default: break
        }
    }

    /// Nothing goes wrong any more.
    mutating func calmDown() {
        isCalm = true
        lateFrames = 0
        fullSockets = 0
        repeatedCommands = 0
        troubles = []
    }
}
