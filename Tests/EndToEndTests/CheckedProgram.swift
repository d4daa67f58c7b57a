import CommandLineFlags
import Foundation
import TestSupport

@testable import diffroom
@testable import diffroom_load
@testable import diffroomd

/// A program whose settings are checked without starting it, and right and wrong settings for it.
struct CheckedProgram {
    struct Setting {
        let name: String
        /// `nil` where it is left out among right settings.
        let right: String?
        /// `nil` where any text is right, or nothing tells a wrong one before the program is at work.
        let wrong: String?
    }

    let program: Program
    let operands: [String]
    let settings: [Setting]
    private let invoke: ([String], [String: String]) -> [FlagError]

    var name: String { program.name }

    /// The flags that are settings, but for the file of settings.
    var names: [String] { program.flags.filter { !$0.has(.request) && $0.name != "config" }.map(\.name) }

    private init<Options>(
        _ program: Program, _ operands: [String], _ settings: [Setting],
        understand: @escaping (FlagValues) throws(FlagError) -> Options,
        check: @escaping (Options) throws(FlagError) -> Void = { _ in }
    ) {
        (self.program, self.operands, self.settings) = (program, operands, settings)
        invoke = { words, environment in
            let invocation = program.invocation(
                [program.name] + words, environment: environment, version: "1", understand: understand, check: check)
            if case .refused(let errors) = invocation { return errors }
            return []
        }
    }

    /// Returns what is said about right settings, without some of them, with some wrong ones, and with more.
    func errors(
        without: [String] = [], wrong: [String] = [], adding words: [String] = [], environment: [String: String] = [:]
    ) -> [String] {
        let given = settings.filter { !without.contains($0.name) }.flatMap { setting -> [String] in
            guard let text = wrong.contains(setting.name) ? setting.wrong : setting.right else { return [] }
            return text.isEmpty ? ["--\(setting.name)"] : ["--\(setting.name)=\(text)"]
        }
        return errors(of: given + words + operands, environment: environment)
    }

    /// Returns what is said about a command line.
    func errors(of words: [String], environment: [String: String] = [:]) -> [String] {
        invoke(["--check-config"] + words, environment).map(\.description)
    }
}

extension CheckedProgram {
    /// A server for strangers.
    static func server(in folder: TemporaryFolder) throws -> CheckedProgram {
        _ = try TestAuthority(in: folder).certificate("here")
        let secret = try file("secret", in: folder, String(repeating: "s", count: 32))
        let signing = try file("whsec", in: folder, "whsec_" + Data(count: 32).base64EncodedString())
        let files: [Setting] = [
            .init(name: "keys", right: nil, wrong: nil), .init(name: "secret", right: secret, wrong: "/no/such"),
            .init(name: "data", right: folder.file("rooms.db"), wrong: "/no/such/rooms.db"),
            .init(name: "store", right: nil, wrong: nil),
            .init(name: "tls-cert", right: folder.file("here.pem"), wrong: "/no/such"),
            .init(name: "tls-key", right: folder.file("here.key"), wrong: nil),
            .init(name: "admin-token-file", right: secret, wrong: "/no/such"),
            .init(name: "backup-folder", right: folder.path, wrong: "/no/such"),
            .init(name: "files", right: folder.file("files"), wrong: "/no/such/files"),
            .init(name: "files-endpoint", right: nil, wrong: nil),
            .init(name: "files-region", right: nil, wrong: nil),
            .init(name: "files-credentials", right: nil, wrong: nil),
            .init(name: "webhook-secret-file", right: signing, wrong: "/no/such"),
        ]
        return CheckedProgram(
            diffroomd.program, [], files + texts + numbers, understand: diffroomd.Options.init,
            check: { options throws(FlagError) in try options.check() })
    }

    private static let texts: [Setting] = [
        .init(name: "listen", right: "0.0.0.0:8080", wrong: "here"), .init(name: "insecure", right: nil, wrong: nil),
        .init(name: "token-issuer", right: "me", wrong: nil), .init(name: "token-audience", right: "me", wrong: nil),
        .init(name: "origin", right: "https://a.example", wrong: "a.example"),
        .init(name: "emojis", right: "lgtm,shipit", wrong: "lgtm spam"),
        .init(name: "memory-budget", right: "512M", wrong: "1"),
        .init(name: "trust-proxy", right: "10.0.0.0/8", wrong: "nobody"),
        .init(name: "proxy-protocol", right: "", wrong: nil), .init(name: "pictures", right: "", wrong: nil),
        .init(name: "keep-rooms", right: "lobby=1", wrong: "lobby"), .init(name: "route-by", right: "room", wrong: "7"),
        .init(name: "webhook", right: "https://a.example/", wrong: "a.example"),
        .init(name: "echo-path", right: "/echo", wrong: nil), .init(name: "log-format", right: "text", wrong: "x"),
        .init(name: "log-level", right: "info", wrong: "loud"),
    ]

    private static let numbers: [Setting] =
        [
            "token-leeway", "loops", "heartbeat", "members-grace", "members-shown", "members-listed", "members-kept",
            "members-memory",
            "max-connections", "max-per-address", "handshake-rate", "max-per-user", "max-subscriptions", "command-rate",
            "send-rate", "page-rate", "room-rate", "keep-messages", "keep-days", "resume-days", "drain-delay",
            "drain-time",
            "echo-limit", "user-bytes", "room-bytes", "file-size",
        ].map { .init(name: $0, right: "7", wrong: "-1") }
        + ["files-per-user", "files-per-room"].map { .init(name: $0, right: "1G", wrong: "-1") } + [
            .init(name: "members-tick", right: "500", wrong: "1")
        ]

    static func client(in folder: TemporaryFolder) throws -> CheckedProgram {
        let token = try file("token", in: folder, "token")
        let settings: [Setting] = [
            .init(name: "url", right: "ws://a.example", wrong: "nonsense"),
            .init(name: "ca", right: "/ca.pem", wrong: nil),
            .init(name: "room", right: "lobby,tea", wrong: "a b"), .init(name: "user", right: "ann", wrong: " "),
            .init(name: "token-file", right: token, wrong: "/no/such"), .init(name: "limit", right: "50", wrong: "x"),
            .init(name: "at", right: UUID().uuidString.lowercased(), wrong: "here"),
            .init(name: "plain", right: "", wrong: nil), .init(name: "json", right: nil, wrong: nil),
            .init(name: "stream", right: "", wrong: nil), .init(name: "follow", right: "", wrong: nil),
            .init(name: "patience", right: "1", wrong: "x"),
            .init(name: "notify", right: "osc9", wrong: "x"), .init(name: "colours", right: "8", wrong: "x"),
            .init(name: "key", right: "ctrl-g=ctrl-f", wrong: "x"), .init(name: "ignore", right: "bob", wrong: nil),
            .init(name: "log", right: folder.file("log"), wrong: "/no/such/log"),
            .init(name: "no-mouse", right: "", wrong: nil), .init(name: "no-history", right: "", wrong: nil),
        ]
        return CheckedProgram(diffroom.program, [], settings) { values throws(FlagError) in
            try diffroom.Options(values, environment: [:], isInteractive: false)
        }
    }

    /// Whose readers and time are more than the defaults, so that what they limit is wrong with the defaults.
    static var load: CheckedProgram {
        let numbers: [Setting] = [
            ("rooms", "100"), ("subscribers", "1000"), ("publishers", "1"), ("rate", "1"), ("size", "128"),
            ("duration", "600"), ("edits", "1"), ("stall", "1"), ("stall-time", "1"), ("churn", "1"),
            ("inbox", "20000"),
            ("herd", "500"), ("max-in-flight", "1"), ("settle", "1"), ("pid", "1"), ("processes", "1"), ("seed", "1"),
        ].map { .init(name: $0.0, right: $0.1, wrong: "x") }
        let others: [Setting] = [
            .init(name: "ca", right: "/ca.pem", wrong: nil), .init(name: "expect-restarts", right: "", wrong: nil),
            .init(name: "expect-retention", right: "", wrong: nil),
            .init(name: "key", right: nil, wrong: "/no/such"), .init(name: "secret", right: nil, wrong: nil),
            .init(name: "token-file", right: nil, wrong: nil), .init(name: "prefix", right: "load", wrong: "?"),
            .init(name: "json", right: "", wrong: nil),
        ]
        return CheckedProgram(
            diffroom_load.program, ["ws://a.example"], numbers + others, understand: diffroom_load.Options.init)
    }

    static func token(in folder: TemporaryFolder) throws -> CheckedProgram {
        let secret = try file("secret", in: folder, String(repeating: "s", count: 32))
        let settings: [Setting] = [
            .init(name: "key", right: nil, wrong: nil), .init(name: "secret", right: secret, wrong: nil),
            .init(name: "user", right: "ann", wrong: " "), .init(name: "grant", right: "lobby=read", wrong: "lobby"),
            .init(name: "name", right: "Ann", wrong: "\u{7}"),
            .init(name: "picture", right: "https://a.example/", wrong: "a"),
            .init(name: "ttl", right: "60", wrong: "0"), .init(name: "issuer", right: "me", wrong: nil),
            .init(name: "audience", right: "me", wrong: nil),
        ]
        return CheckedProgram(TokenCommand.program, [], settings, understand: TokenCommand.init)
    }

    private static func file(_ name: String, in folder: TemporaryFolder, _ text: String) throws -> String {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        return folder.file(name)
    }
}
