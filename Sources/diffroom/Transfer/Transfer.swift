import ChatClient
import ChatWire
import CommandLineFlags
import Foundation

/// Copies a whole room out of a server or into one: `diffroom export` and `diffroom import`.
enum Transfer: String {
    case export
    case `import`

    var program: Program {
        Program(
            name: "diffroom \(rawValue)",
            summary: summary,
            operands: "[ws://HOST:PORT]",
            operandCount: 0...1,
            flags: [
                Flag("url", "URL", "The server, if it is not given as an argument.", default: "ws://127.0.0.1:8080"),
                Flag(
                    "ca", "FILE", "PEM: certificate authorities to trust with wss://, besides the system's.",
                    .file),
                Flag("room", "NAME", "The room, or one thread as ROOM/thread/ID.", default: "lobby"),
                Flag("patience", "SECONDS", "How long to be without a connection before giving up.", default: "30"),
            ] + own,
            notes: notes)
    }

    private var own: [Flag] {
        switch self {
        case .export: [Flag("user", "NAME", "The user who reads the room.", default: "export"), Credentials.flag]
        case .import:
            [
                Flag("key", "FILE", "What to sign the authors' tokens with, where there are keys: PEM.", .file),
                Flag(
                    "secret", "FILE", "Instead of --key: a secret for HS256, the bytes of the file.", .file,
                    .excludes("key")),
            ]
        }
    }

    private var summary: String {
        switch self {
        case .export: "writes all messages of a room and its threads to standard output, one JSON object in a line"
        case .import: "sends messages from standard input, in the form that export writes, to a room"
        }
    }

    private var notes: String {
        switch self {
        case .export:
            """
            First the messages of the room, oldest first, then the replies of each thread, with the id of the message that
            they answer as "root". The lines of one list are of one revision: what changes meanwhile is in them.
            """
        case .import:
            """
            Each message is said by its author under its own id, in the order of the lines, with the text that it has by
            now; then its reactions. The time is the server's, so it is that of the import. What is there already, also
            if it was edited or deleted since, stays as it is: an import that was cut off can be made again.
            """
        }
    }
}

extension Transfer {
    /// Exports or imports a room, and ends the program.
    func run() -> Never {
        let (options, values) = program.begin(
            environment: environment, version: diffroomVersion, of: diffroom.program,
            understand: { values throws(FlagError) in try TransferOptions(self, values, environment: environment) })
        let output = Output(.plain, environment: environment)
        do {
            switch self {
            case .export: try Export(options, as: values.user(), output: output).start()
            case .import:
                var lines = InputLines()
                let messages = try exportedMessages(for: options.room) { () throws(InputError) in
                    try lines.next()?.get()
                }
                Import(messages, options, output: output).start()
            }
        } catch let error as ChatClientError {
            refuse(error, output)
        } catch {
            output.report("\(error)")
            output.end(.usage)
        }
        dispatchMain()
    }
}

/// The parsed options of a transfer.
struct TransferOptions {
    let url: String
    /// A file of certificate authorities to trust.
    let authorities: String?
    let room: RoomName
    let patience: Int

    let credentials: Credentials

    init(_ transfer: Transfer, _ values: FlagValues, environment: [String: String]) throws(FlagError) {
        switch transfer {
        case .export: credentials = try Credentials(values, environment: environment)
        case .import: credentials = try Credentials(key: values["key"], secret: values["secret"])
        }
        url = try values.url()
        authorities = values["ca"]
        room = try values.room()
        patience = try values.number("patience", in: 1...86_400)
    }
}

extension Patience {
    /// Follows the state of the connection, and ends the program when it will not be tried again.
    func handle(_ state: ConnectionState, _ output: Output) {
        switch state {
        case .offline, .connecting: break
        case .online: regain()
        case .waiting(_, let loss): start(loss, output)
        case .ended(let loss):
            output.report("\(loss)")
            output.end(.failed)
        }
    }
}

/// Shows the progress on a line of standard error, if that is a terminal.
struct Progress {
    private let isShown = isatty(STDERR_FILENO) == 1

    func report(_ what: String, _ done: Int, of all: Int) {
        guard isShown else { return }
        try? FileHandle.standardError.write(contentsOf: Data("\r\(what): \(done) of \(all) messages".utf8))
        if done == all { try? FileHandle.standardError.write(contentsOf: Data("\n".utf8)) }
    }
}
