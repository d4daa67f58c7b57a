import ChatServer
import CommandLineFlags

let program = Program(
    name: "diffroomd",
    summary: "serves chat rooms over WebSockets",
    flags: [
        Flag("listen", "HOST:PORT", "Where to listen. Port 0 takes a free one.", default: "127.0.0.1:8080"),
        Flag(
            "keys", "FILE",
            "What tokens are checked with: PEM or a JSON Web Key Set. SIGHUP reads it again.", .file),
        Flag(
            "secret", "FILE",
            "Instead of --keys: a secret of at least 32 bytes for HS256, the bytes of the file. SIGHUP\nreads it again.",
            .file, .excludes("keys")),
        Flag("token-issuer", "TEXT", "What a token's iss must be. Default: anything."),
        Flag("token-audience", "TEXT", "What a token's aud must be or have. Default: none."),
        Flag(
            "token-leeway", "SECONDS", "How far the clocks of who makes and who checks tokens may differ.",
            default: "60"),
        Flag("insecure", "Listen elsewhere than on loopback without keys: anybody may be anybody there."),
        Flag("data", "FILE", "The rooms' file; it is made if it is not there.", default: "./diffroom.db", .file),
        Flag(
            "store", "URL",
            "Instead of a file: the PostgreSQL database that several servers share,\nas postgres://USER@HOST/DATABASE; "
                + "or several, with commas in between.",
            .secret),
        Flag("loops", "N", "Event loops, each a thread. Default: one for each core."),
        Flag("heartbeat", "SECONDS", "How long a connection may be silent.", default: "25"),
        Flag("members-tick", "MS", "The least time between two diffs of who is there: 250 to 1000.", default: "500"),
        Flag("members-grace", "SECONDS", "How long a lost connection counts as there.", default: "5"),
        Flag("members-shown", "N", "How many who are there are listed; the others are counted.", default: "200"),
        Flag("members-kept", "N", "How many who left are listed.", default: "100"),
        Flag("members-memory", "SECONDS", "For how long.", default: "86400"),
        Flag(
            "max-connections", "N", "Connections at once; 0 for what the descriptor limit allows.", default: "0", .live),
        Flag(
            "origin", "ORIGIN,…",
            "Pages of which origins may connect, as https://chat.example; * for any. Default: this server's own.",
            .repeatable),
        Flag(
            "max-per-address", "N",
            "Connections of one address at once; 0 for any. Default: 1000, but any for this machine's own addresses."),
        Flag(
            "handshake-rate", "N",
            "Connections a second of one address, five seconds' worth at once; 0 for any. Default: 50, likewise."),
        Flag("max-per-user", "N", "Connections of one user at once; 0 for any.", default: "100", .live),
        Flag("max-subscriptions", "N", "Lists that one connection may be subscribed to.", default: "128"),
        Flag(
            "command-rate", "N", "Frames a second of one connection, five seconds' worth at once; 0 for any.",
            default: "100", .live),
        Flag(
            "send-rate", "N",
            "Messages, edits, deletions and reactions a second of one user in one room, likewise.", default: "50",
            .live),
        Flag(
            "page-rate", "N",
            "Pages of messages, or of the audit log, a second of one connection, likewise; 128 KB of them, or\n"
                + "of what subscribe is answered with, are one.",
            default: "10", .live),
        Flag(
            "room-rate", "N",
            "Rooms that one user may make an hour, by being the first to say something there; 0 for any.",
            default: "100", .live),
        Flag(
            "memory-budget", "SIZE",
            "What waits for clients may take so much memory in all, as 512M or 2G, at least 16M; beyond it whoever\n"
                + "owes most is closed. 0 for any.",
            default: "512M"),
        Flag(
            "trust-proxy", "ADDRESS,…",
            "Proxies, as 127.0.0.1 or 10.0.0.0/8, whose X-Forwarded-For is believed. Default: none.", .repeatable),
        Flag(
            "proxy-protocol", "Trusted proxies begin each connection with a PROXY header, version 1 or 2.",
            .needs("trust-proxy")),
        Flag(
            "tls-cert", "FILE", "PEM: the certificate, then those above it. With it only TLS is spoken.", .file,
            .needs("tls-key")),
        Flag(
            "tls-key", "FILE", "PEM: its key, without a password. SIGHUP reads both again.", .file,
            .needs("tls-cert")),
        Flag(
            "admin-token-file", "FILE",
            "Serve the admin API at /admin/v1/ to whoever shows what is in this file. SIGHUP reads it\n"
                + "again. Default: no such API.",
            .file),
        Flag(
            "backup-folder", "FOLDER", "Where the admin API's backups of --data go. Default: it makes none.", .file,
            .needs("admin-token-file"), .excludes("store")),
        Flag(
            "pictures",
            "The web page loads rooms' pictures, which tells the hosts that they are on the address of everybody who\n"
                + "looks at the room."),
        Flag("keep-messages", "N", "How many messages of a room are kept: the last. Default: all.", .live),
        Flag("keep-days", "N", "For how many days. Default: for good.", .live),
        Flag(
            "keep-rooms", "ROOMS=RULE,…",
            "Other rules for some rooms, as lobby=1000, log-*=30d, chat-*=1000/30d or staff-*=all.", .repeatable, .live),
        Flag(
            "resume-days", "N",
            "How long deletions and commands are remembered. Default: for good, but 7 where not all\nmessages are kept.",
            .live),
        Flag(
            "route-by", "NAME",
            "The parameter of the URL that a proxy before several servers routes by: clients are told to\n"
                + "put their room there. Default: none."),
        Flag(
            "emojis", "NAME,…",
            "Short names that reactions may have beside Unicode's emoji, as lgtm,shipit for :lgtm: and\n"
                + ":shipit:. Default: none."),
        Flag(
            "webhook", "URL", "Where every operation that was committed is posted. Default: nowhere.", .secret,
            .needs("webhook-secret-file")),
        Flag(
            "webhook-secret-file", "FILE",
            "What those posts are signed with: whsec_ and 32 bytes in base64. SIGHUP reads it again.", .file,
            .needs("webhook")),
        Flag(
            "drain-delay", "SECONDS",
            "How long before it ends /readyz says 503 while it goes on serving, for load balancers; not\n"
                + "waited for when nobody has asked /readyz for a minute.",
            default: "5", .live),
        Flag("drain-time", "SECONDS", "How long saying goodbye may take.", default: "10", .live),
        Flag("echo-path", "PATH", "Send every message at this path back, for trying out proxies. Default: none."),
        Flag("echo-limit", "BYTES", "How long a message there may be.", default: "16777216"),
        Flag(
            "log-format", "FORMAT", "text or json. Default: text on a terminal, json elsewhere.",
            .choice(ServerLog.Format.allCases.map(\.rawValue))),
        Flag(
            "log-level", "LEVEL", "debug, info, warning or error.", default: "info", .live,
            .choice(ServerLog.Level.allCases.map(\.rawValue))),
    ],
    notes: """
        SIGTERM and SIGINT end it without losing anything; a second one ends it at once. SIGHUP reads all
        settings again and takes those that are marked live.
        Exit status: 0 ended as asked, 1 could not serve, 2 the command line was wrong.
        """,
    section: 8,
    subcommands: [
        Subcommand(DataCopy.backup.program, work: DataCopy.backup.carryOut),
        Subcommand(DataCopy.restore.program, work: DataCopy.restore.carryOut),
        Subcommand(DataCheck.program, work: DataCheck.carryOut),
        Subcommand(EpochCommand.program, work: EpochCommand.carryOut),
        Subcommand(ReshardCommand.program, work: ReshardCommand.carryOut),
        Subcommand(TokenCommand.program, work: TokenCommand.carryOut),
    ],
    neighbours: Program.Neighbours(mistaken: "DIFFROOM")
)
