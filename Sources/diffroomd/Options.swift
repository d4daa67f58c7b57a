import ChatRoom
import ChatServer
import ChatWire
import CommandLineFlags
import Files
import Foundation
import Tokens
import WebSocketTransport

/// The parsed options of the server.
struct Options {
    let server: ChatServerConfiguration
    /// The place of the data.
    let place: StorePlace
    /// `nil` where names need no proof.
    let keys: Keys?
    /// `nil` for no webhook.
    let webhook: WebhookOptions?
    /// `nil` for a server that keeps no files.
    let files: FileOptions?
    /// `nil` for no admin API.
    let admin: AdminOptions?
    /// The path of the configuration file; `nil` for none.
    let config: String?
    let logFormat: ServerLog.Format
    let logLevel: ServerLog.Level

    init(_ values: FlagValues) throws(FlagError) {
        var server = ChatServerConfiguration()
        (server.transport.host, server.transport.port) = try Self.address(values)
        server.transport.loops =
            try values["loops"] == nil
            ? ProcessInfo.processInfo.activeProcessorCount : values.number("loops", in: 1...64)
        server.transport.echoPath = values["echo-path"]
        server.transport.maxEchoBytes = try values.number("echo-limit", in: 1...(1 << 30))
        server.transport.maxConnections = try values.number("max-connections", in: 0...10_000_000)
        server.transport.heartbeatSeconds = Double(try values.number("heartbeat", in: 1...3_600))
        server.transport.allowedOrigins = try Self.origins(values)
        server.transport.certificate = Self.certificate(values)
        try Self.limit(&server.transport, values)
        server.transport.memoryBudget = try Self.memoryBudget(values)
        server.members = try Self.members(values)
        server.route = try Self.route(values)
        server.showsPictures = values.isOn("pictures")
        server.allowances = try Self.allowances(values)
        server.limits.shortNames = try Self.shortNames(values)
        server.limits.subscriptions = try values.number("max-subscriptions", in: 1...1_000_000)
        server.retention = try Self.retention(values)
        server.drain.delay = .seconds(try values.number("drain-delay", in: 0...3_600))
        server.drain.time = .seconds(try values.number("drain-time", in: 0...3_600))
        place = try StorePlace(values)
        files = try FileOptions(values)
        if let files { (server.limits.files, server.limits.fileBytes) = (Attachment.most, files.limits.file) }
        keys = try Keys(values)
        server.transport.allowsOnlyLoopbackHosts = keys == nil && !values.isOn("insecure")
        self.server = server
        try Self.requireProof(values, keys, host: server.transport.host)
        webhook = try WebhookOptions(values)
        admin = AdminOptions(values, place)
        config = values["config"]
        logFormat = try values.choice("log-format") ?? (isatty(STDERR_FILENO) == 1 ? .text : .json)
        logLevel = try values.choice("log-level") ?? .info
    }

    private static func route(_ values: FlagValues) throws(FlagError) -> String? {
        guard let name = values["route-by"] else { return nil }
        let isPlain = name.utf8.allSatisfy {
            $0 < 128 && (Character(Unicode.Scalar($0)).isLetter || $0 == UInt8(ascii: "_"))
        }
        guard isPlain, (1...32).contains(name.utf8.count) else {
            throw .badValue("route-by", name, "must be 1 to 32 letters from a to z or _, such as room")
        }
        return name
    }

    private static func shortNames(_ values: FlagValues) throws(FlagError) -> [ShortName] {
        var names: [ShortName] = []
        for name in (values["emojis"] ?? "").split(separator: ",") {
            guard let name = ShortName(":\(name):"), !names.contains(name), names.count < 200 else {
                throw .badValue(
                    "emojis", String(name),
                    "must be up to 200 names of 1 to 32 of a-z 0-9 _ + -, each once, as lgtm,shipit")
            }
            names.append(name)
        }
        return names
    }

    /// Checks the files that the options name, without creating or changing any.
    func check() throws(FlagError) {
        try place.check()
        try keys?.check()
        try files?.place.check()
        try admin?.check()
        try webhook?.check()
        do throws(TransportError) { try server.transport.certificate?.check() } catch {
            throw .badValue("tls-cert", server.transport.certificate?.chain ?? "", "cannot be used: \(error)")
        }
    }

    /// Returns the server's configuration, with the keys and secrets that are in files.
    func configuration() throws -> ChatServerConfiguration {
        var configuration = server
        configuration.keyring = try keys.map { try Keyring($0.source, rules: $0.rules) }
        configuration.admin = try admin?.configuration()
        configuration.files = try files?.open()
        configuration.webhook = try webhook?.configuration()
        return configuration
    }

    private static func members(_ values: FlagValues) throws(FlagError) -> MembersPolicy {
        var members = MembersPolicy()
        members.tick = .milliseconds(try values.number("members-tick", in: 250...1_000))
        members.grace = .seconds(try values.number("members-grace", in: 0...3_600))
        members.shown = try values.number("members-shown", in: 0...10_000)
        members.listed = try values.number("members-listed", in: 0...10_000)
        members.remembered = try values.number("members-kept", in: 0...10_000)
        members.memory = .seconds(try values.number("members-memory", in: 0...10_000_000))
        return members
    }

    private static func address(_ values: FlagValues) throws(FlagError) -> (String, UInt16) {
        let text = values["listen"] ?? ""
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw .badValue("listen", text, "must be HOST:PORT, such as 127.0.0.1:8080; port 0 takes a free one")
        }
        let host = text[..<colon].trimmingPrefix("[").prefix { $0 != "]" }
        return (host.isEmpty ? "127.0.0.1" : String(host), port)
    }
}
