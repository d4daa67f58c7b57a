import ChatWire
import CommandLineFlags
import WebSocketTransport

let program = Program(
    name: "diffroom-load",
    summary: "loads a chat server with rooms full of readers, and verifies what each of them sees",
    operands: "ws://HOST:PORT...",
    operandCount: 1...100,
    flags: [
        Flag("ca", "FILE", "PEM: certificate authorities to trust with wss://, besides the system's.", .file),
        Flag("rooms", "N", "Rooms.", default: "10"),
        Flag("subscribers", "N", "Readers in each room, each with a connection and a replica.", default: "100"),
        Flag("publishers", "N", "Writers in each room, each with a connection.", default: "1"),
        Flag("rate", "N", "Commands a second, in all rooms together.", default: "50"),
        Flag("size", "BYTES", "Length of a message.", default: "128"),
        Flag("duration", "SECONDS", "How long to write.", default: "30"),
        Flag("edits", "PERCENT", "Commands that edit, delete or react to an earlier message.", default: "0"),
        Flag("stall", "PERCENT", "Readers that stop reading for a while, again and again.", default: "0"),
        Flag(
            "stall-time", "SECONDS",
            "How long they stop and then read. Default: 3 to 10, at random.\n"
                + "A server may close readers that read nothing for longer than 30."),
        Flag("churn", "PERCENT", "Readers that lose their connection and resume, each second.", default: "0"),
        Flag(
            "inbox", "N",
            "Readers, of all, that are members of their room and up to three others, follow the lists of their rooms and\n"
                + "mentions, and mark what they read.",
            default: "0"),
        Flag("herd", "SECONDS", "When all readers lose their connection and resume; 0 for never.", default: "0"),
        Flag("max-in-flight", "N", "Commands of one writer without an answer; more are held back.", default: "64"),
        Flag("settle", "SECONDS", "How long the readers have to catch up at the end.", default: "60"),
        Flag("expect-restarts", "Lost connections are no errors: the server is killed on purpose."),
        Flag(
            "expect-retention",
            "The server trims old messages: messages missing before a room's first one are no loss. Without this flag\n"
                + "the tool knows that once a reader gets the deletions."),
        Flag("pid", "PID", "The server's process, to measure its CPU time and memory."),
        Flag("processes", "N", "Processes to divide readers and writers among.", default: "1"),
        Flag(
            "key", "FILE", "The private key, in PEM, that signs tokens for all readers and writers.", .file),
        Flag(
            "secret", "FILE", "Instead of --key: a secret for HS256, the bytes of the file.", .file,
            .excludes("key")),
        Flag(
            "token-file", "FILE", "One token, and so one user, for all of them.", .file, .excludes("key"),
            .excludes("secret")),
        Flag("seed", "N", "Makes the run's choices repeatable. Default: random."),
        Flag("prefix", "NAME", "The beginning of the rooms' names.", default: "load"),
        Flag("json", "Print one JSON object instead of a table."),
    ],
    notes: """
        Several servers that share a database may be named: readers and writers are spread over all of them, and a client
        that loses its connection reconnects to the next one.

        At the end all parts that a reader holds of its room are compared, row by row and by digest, with what a fresh
        reader gets from the server, and every acknowledged command with its effect. In a member's list of rooms the
        read marks, the numbers of unread messages and of mentions, the last messages and the order must be right, and in
        its list of mentions each row, as far back as the rooms were read. During the run each state of these lists is checked
        as far as one state shows: the order, and, without --edits, the counts up to a row's last message. So
        no other client may delete messages in these rooms.

        Exit status: 0 all is right, 1 it is not, 2 the command line was wrong.
        """,
    neighbours: Program.Neighbours(variables: [Parts.variable])
)

/// The parsed options of the load.
struct Options: Sendable {
    /// At least one.
    var urls: [WebSocketURL]
    /// A file of certificate authorities to trust.
    var authorities: String?
    var rooms: Int
    var subscribers: Int
    var publishers: Int
    /// Commands a second, in all rooms together.
    var rate: Double
    var size: Int
    /// Seconds.
    var duration: Int
    /// Chances, 0 to 1.
    var edits: Double
    var stall: Double
    /// The chance for each reader and second, 0 to 1.
    var churn: Double
    /// The number of readers, of all, that are members of their rooms.
    var inbox: Int
    /// Seconds.
    var stallTime: ClosedRange<Int>
    /// Seconds from the beginning of the writing; 0 for never.
    var herd: Int
    var maxInFlight: Int
    /// Seconds.
    var settle: Int
    var expectsRestarts: Bool
    var expectsRetention: Bool
    var pid: Int32?
    var processes: Int
    var seed: UInt64
    var prefix: String
    /// `nil` for a server without keys.
    var tokens: TokenSource?
    var wantsJSON: Bool

    init(_ values: FlagValues) throws(FlagError) {
        urls = try values.operands.map { (address) throws(FlagError) in
            do throws(WebSocketURL.ParseError) { return try WebSocketURL(address) } catch {
                throw .badOperand(address, error.rule)
            }
        }
        authorities = values["ca"]
        rooms = try values.number("rooms", in: 1...10_000)
        subscribers = try values.number("subscribers", in: 0...1_000_000)
        publishers = try values.number("publishers", in: 0...10_000)
        rate = Double(try values.number("rate", in: 0...1_000_000))
        size = try values.number("size", in: 40...WireLimits().text)
        duration = try values.number("duration", in: 1...86_400)
        edits = try Double(values.number("edits", in: 0...100)) / 100
        stall = try Double(values.number("stall", in: 0...100)) / 100
        churn = try Double(values.number("churn", in: 0...100)) / 100
        if stall > 0, urls.contains(where: \.isSecure) {
            throw .badValue("stall", values["stall"] ?? "", "needs ws://: a client cannot stop reading from TLS")
        }
        let stallTime = values["stall-time"] == nil ? nil : try values.number("stall-time", in: 1...3_600)
        self.stallTime = stallTime.map { $0...$0 } ?? 3...10
        inbox = try values.number("inbox", in: 0...rooms * subscribers, because: ["rooms", "subscribers"])
        herd = try values.number("herd", in: 0...duration, because: ["duration"])
        maxInFlight = try values.number("max-in-flight", in: 1...Outgoing.limit)
        settle = try values.number("settle", in: 1...3_600)
        expectsRestarts = values.isOn("expect-restarts")
        expectsRetention = values.isOn("expect-retention")
        pid = values["pid"] == nil ? nil : Int32(try values.number("pid", in: 1...Int(Int32.max)))
        processes = try values.number("processes", in: 1...64)
        seed = values["seed"] == nil ? .random(in: 0...1 << 40) : UInt64(try values.number("seed", in: 0...1 << 40))
        prefix = values["prefix"] ?? ""
        tokens = try TokenSource(values)
        if inbox > 0, case .file(let path)? = tokens {
            throw .badValue("token-file", path, "makes all readers one user: --inbox needs --key or --secret")
        }
        wantsJSON = values.isOn("json")
        guard RoomName("\(prefix)-0") != nil else {
            throw .badValue("prefix", prefix, "must be 1 to 50 letters, digits, '.', '_' or '-'")
        }
    }

    func room(_ index: Int) -> RoomName {
        guard let room = RoomName("\(prefix)-\(index)") else { preconditionFailure("room \(prefix)-\(index)") }
        return room
    }
}

enum Outgoing {
    /// The largest `--max-in-flight`.
    static let limit = 1_000
}
