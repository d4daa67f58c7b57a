import ChatWire
import CommandLineFlags
import TerminalUI
import Tokens
import WebSocketTransport

let program = Program(
    name: "diffroom",
    summary: "chats in a room from a terminal or a pipe",
    operands: "[ws://HOST:PORT]",
    operandCount: 0...1,
    flags: [
        Flag("url", "URL", "The server, if it is not given as an argument.", default: "ws://127.0.0.1:8080"),
        Flag("ca", "FILE", "PEM: certificate authorities to trust with wss://, besides the system's.", .file),
        Flag(
            "room", "NAME",
            "The room: letters, digits, '.', '_' and '-'; or the name of a private or direct room, as /rooms shows it; or\n"
                + "of a thread: ROOM/thread/ID.\n"
                + "Default: on a screen the one of your rooms in which something was said last; else lobby.\n"
                + "Several are followed in lines; input goes to the first, and /to ROOM changes that.",
            .repeatable),
        Flag("user", "NAME", "Your user name. Default: your login name."),
        Credentials.flag,
        Flag("limit", "N", "The number of messages to load first: 32 to 500.", default: "50"),
        Flag("at", "ID", "Open the room, of several the first, around the message with this id."),
        Flag("plain", "A line for each change, for people. Default without a screen."),
        Flag("json", "A JSON object in a line for each change, for programs.", .excludes("plain")),
        Flag(
            "notify", "WAY",
            "On a screen, how to report mentions, direct messages and invitations: bell, off,\n"
                + "or a notification of the desktop by osc9 or osc777, as your terminal knows it.",
            default: "bell", .choice(Terminal.Notifying.allCases.map(\.rawValue))),
        Flag(
            "log", "FILE",
            "On a screen, append the changes of the rooms that are open to a file, as --plain prints them."),
        Flag("no-history", "On a screen, do not keep the lines that you write for the next start."),
        Flag(
            "ignore", "RULE",
            "On a screen, hide the messages of a user, or those with a text: bob, or *lottery*.", .repeatable),
        Flag("key", "KEY=KEY", "On a screen, give a key the meaning of another one: ctrl-g=ctrl-f.", .repeatable),
        Flag(
            "colours", "DEPTH", "On a screen, the colours: auto as the terminal has them, 256, 8 or none.",
            default: "auto", .choice(Terminal.Colours.allCases.map(\.rawValue))),
        Flag("no-mouse", "On a screen, leave the wheel and clicks to the terminal."),
        Flag("stream", "Send all of standard input as one message, which grows while the input comes."),
        Flag("follow", "Stay when standard input has ended."),
        Flag(
            "patience", "SECONDS",
            "How long to wait for a connection before giving up; 0 for ever.\n"
                + "Default: 30, but 0 on a terminal and with --follow."),
    ],
    userFile: "diffroom/config.json",
    notes: """
        On a terminal it uses the whole screen; /help shows the keys. Elsewhere, and with --plain or --json, it sends each
        line of standard input as a message; /help shows the commands. At the end of input it waits until everything is
        acknowledged. With --stream, --plain and --json do nothing, and Ctrl-C ends the message as one that was stopped.

        Output: + inserted, - deleted, ~ text replaced, * reactions changed, > moved; then the message's number,
        which the commands take; … stands for messages that are not loaded, which /older loads.
        Colours only on a terminal, and not if NO_COLOR is set.

        Exit status: 0 all commands were acknowledged, 1 one of them failed, 2 the command line was wrong.
        """,
    subcommands: [
        Subcommand(Transfer.export.program, work: Transfer.export.run),
        Subcommand(Transfer.import.program, work: Transfer.import.run),
    ],
    neighbours: Program.Neighbours(variables: ["DIFFROOM_TOKEN"], longer: ["DIFFROOM_LOAD"])
)

/// The parsed options of the client.
struct Options {
    enum Format {
        case plain
        case json
    }

    let url: String
    /// A file of certificate authorities to trust.
    let authorities: String?
    /// The rooms to open, each once, at least one; the lobby if none was named.
    let rooms: [RoomName]
    /// True when the command line names the room. Otherwise the screen opens the one of the user's rooms in which
    /// something was said last, if they have one.
    let namesRoom: Bool
    /// With a token, a placeholder until the server has sent the user's name.
    let user: UserName
    let credentials: Credentials
    let limit: Int
    /// The message around which to open the room.
    let at: MessageID?
    let format: Format
    /// True to use the whole screen if there is one. Several rooms are followed in lines.
    let wantsScreen: Bool
    /// On a screen, how to report mentions, direct messages and invitations.
    let notifying: Terminal.Notifying
    let hasMouse: Bool
    let colours: Terminal.Colours
    let keys: KeyMap
    let ignored: Ignored
    /// A file for the changes of the rooms on the screen; `nil` for none.
    let log: ChangeLog?
    /// The file of the lines that the user has written; `nil` for none.
    let history: String?
    /// True to send the input as one message.
    let streams: Bool
    let follow: Bool
    /// The seconds without a connection after which to give up; `nil` for never.
    let patience: Int?

    /// - Parameters:
    ///   - environment: `USER` or `LOGNAME` is the default name, `DIFFROOM_TOKEN` a token.
    ///   - isInteractive: whether a person types the input.
    init(
        _ values: FlagValues, environment: [String: String], isInteractive: Bool
    ) throws(FlagError) {
        url = try values.url()
        authorities = values["ca"]
        rooms = try values.rooms()
        namesRoom = values["room"] != nil
        credentials = try Credentials(values, environment: environment)
        limit = try values.number("limit", in: ListDigest.window...WireLimits().rows)
        at = try Self.message(values)
        format = values.isOn("json") ? .json : .plain
        wantsScreen = !values.isOn("plain") && !values.isOn("json") && rooms.count == 1
        notifying = try values.choice("notify") ?? .bell
        hasMouse = !values.isOn("no-mouse")
        colours = try values.choice("colours") ?? .auto
        keys = try Self.keys(values)
        ignored = Ignored(values.all("ignore"))
        log = try values["log"].map { path throws(FlagError) in try Self.log(path) }
        history = values.isOn("no-history") ? nil : Self.historyFile(environment)
        streams = values.isOn("stream")
        follow = values.isOn("follow")
        let patience = values["patience"] == nil ? nil : try values.number("patience", in: 0...86_400)
        let usual = isInteractive || values.isOn("follow") ? 0 : 30
        self.patience = (patience ?? usual) == 0 ? nil : patience ?? usual
        user = try Self.user(values, loginName(environment) ?? credentials.stranger)
    }

    /// The room to begin with.
    var room: RoomName { rooms[0] }

    private static func keys(_ values: FlagValues) throws(FlagError) -> KeyMap {
        do throws(InputError) { return try KeyMap(values.all("key")) } catch {
            throw .badValue("key", values.all("key").joined(separator: ", "), "\(error)")
        }
    }

    private static func log(_ path: String) throws(FlagError) -> ChangeLog {
        do throws(FileError) { return try ChangeLog(path) } catch {
            throw .badValue("log", path, "cannot be written: \(error)")
        }
    }

    /// - Source: the XDG Base Directory Specification.
    private static func historyFile(_ environment: [String: String]) -> String? {
        let folder = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (folder ?? environment["HOME"].map { "\($0)/.local/state" }).map { "\($0)/diffroom/history" }
    }

    private static func message(_ values: FlagValues) throws(FlagError) -> MessageID? {
        guard let text = values["at"] else { return nil }
        guard let id = MessageID(text) else {
            throw .badValue("at", text, "must be a message's id: a UUID, as --json shows it")
        }
        return id
    }

    private static func user(_ values: FlagValues, _ login: String?) throws(FlagError) -> UserName {
        if values["user"] != nil { return try values.user() }
        guard let user = login.flatMap({ UserName(typed: $0) }) else {
            throw .badValue(
                "user", login ?? "", "is needed: this account has no name to use instead",
                because: ["token-file"])
        }
        return user
    }
}

extension FlagValues {
    /// Returns the server's address: the argument, or else the flag's value.
    func url() throws(FlagError) -> String {
        let address = operands.first ?? self["url"] ?? ""
        do throws(WebSocketURL.ParseError) { _ = try WebSocketURL(address) } catch {
            throw operands.isEmpty ? .badValue("url", address, error.rule) : .badOperand(address, error.rule)
        }
        return address
    }

    /// Returns the rooms that were named, each once; the lobby if none was.
    func rooms() throws(FlagError) -> [RoomName] {
        var rooms: [RoomName] = []
        for name in all("room") {
            let room = try Self.room(name)
            if !rooms.contains(room) { rooms.append(room) }
        }
        return try rooms.isEmpty ? [Self.room("lobby")] : rooms
    }

    func room() throws(FlagError) -> RoomName {
        try Self.room(self["room"] ?? "lobby")
    }

    private static func room(_ name: String) throws(FlagError) -> RoomName {
        guard let room = RoomName(name) else {
            throw .badValue(
                "room", name,
                "must be 1 to 64 letters, digits, '.', '_' or '-', or the name of a private or direct room")
        }
        return room
    }

    func user() throws(FlagError) -> UserName {
        let name = self["user"] ?? ""
        guard let user = UserName(typed: name) else {
            throw .badValue("user", name, "the name \(UserName.fault(in: name) ?? "is none")")
        }
        return user
    }
}
