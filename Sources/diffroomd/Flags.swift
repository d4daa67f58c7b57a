import ChatServer
import CommandLineFlags

let program = Program(
    name: "diffroomd",
    summary: "serves chat rooms over WebSockets",
    flags: [
        Flag("listen", "HOST:PORT", "The address to listen on. Port 0 takes a free one.", default: "127.0.0.1:8080"),
        Flag(
            "keys", "FILE",
            "The keys that check tokens: PEM or a JSON Web Key Set. SIGHUP reads it again.", .file),
        Flag(
            "secret", "FILE",
            "Instead of --keys: a secret of at least 32 bytes for HS256, the bytes of the file. SIGHUP\nreads it again.",
            .file, .excludes("keys")),
        Flag("token-issuer", "TEXT", "The required iss of a token. Default: any."),
        Flag("token-audience", "TEXT", "The required aud of a token, or one of them. Default: none."),
        Flag(
            "token-leeway", "SECONDS", "The greatest difference between the clocks of token makers and this server.",
            default: "60"),
        Flag("insecure", "Listen elsewhere than on loopback without keys: any client may use any name there."),
        Flag("data", "FILE", "The rooms' file; it is created if it is missing.", default: "./diffroom.db", .file),
        Flag(
            "store", "URL",
            "Instead of a file: the PostgreSQL database that several servers share,\nas postgres://USER@HOST/DATABASE; "
                + "or several, with commas in between.",
            .secret),
        Flag(
            "files", "PLACE",
            "The place for files of messages: a folder, which is made if it is missing, or s3://BUCKET/PREFIX. Servers that\n"
                + "share a database share the place, too. Default: no files.",
            .file),
    ] + FilePlace.bucketFlags + [
        Flag("file-size", "SIZE", "The most bytes of one file.", default: "100M", .needs("files")),
        Flag(
            "files-per-user", "SIZE", "The most bytes of all files that one user has uploaded; 0 for any.",
            default: "1G", .needs("files")),
        Flag(
            "files-per-room", "SIZE", "The most bytes of all files of one room; 0 for any.", default: "10G",
            .needs("files")),
        Flag("loops", "N", "Event loops, each a thread. Default: one for each core."),
        Flag("heartbeat", "SECONDS", "How long a connection may be silent.", default: "25"),
        Flag("members-tick", "MS", "The least time between diffs of a member list: 250 to 1000.", default: "500"),
        Flag("members-grace", "SECONDS", "How long a member stays online after a lost connection.", default: "5"),
        Flag("members-shown", "N", "The most people online in the list; the others are counted.", default: "200"),
        Flag("members-listed", "N", "The most members in the list who are not online.", default: "200"),
        Flag("members-kept", "N", "The most guests in the list who are not online.", default: "100"),
        Flag("members-memory", "SECONDS", "How long a guest who is not online stays in the list.", default: "86400"),
        Flag(
            "max-connections", "N", "Connections at once; 0 for what the descriptor limit allows.", default: "0", .live),
        Flag(
            "origin", "ORIGIN,…",
            "The origins whose pages may connect, as https://chat.example; * for any. Default: this server's own.",
            .repeatable),
        Flag(
            "max-per-address", "N",
            "Connections of one address at once; 0 for any. Default: 1000, but any for this machine's own addresses."),
        Flag(
            "handshake-rate", "N",
            "Connections a second of one address, five seconds' worth at once; 0 for any. Default: 50, but any for\n"
                + "this machine's own addresses."),
        Flag("max-per-user", "N", "Connections of one user at once; 0 for any.", default: "100", .live),
        Flag("max-subscriptions", "N", "Lists that one connection may be subscribed to.", default: "128"),
        Flag(
            "command-rate", "N", "Frames a second of one connection, five seconds' worth at once; 0 for any.",
            default: "100", .live),
        Flag(
            "send-rate", "N",
            "Messages, edits, deletions and reactions a second of one user in one room, five seconds' worth at\n"
                + "once; 0 for any.", default: "50",
            .live),
        Flag(
            "page-rate", "N",
            "Pages of messages, or of the audit log, a second of one connection, five seconds' worth at once; 0 for\n"
                + "any. 128 KB of pages, or of answers to subscribe, count as one.",
            default: "10", .live),
        Flag(
            "room-rate", "N",
            "Rooms that one user may make an hour, by sending the first message there; 0 for any.",
            default: "100", .live),
        Flag(
            "user-bytes", "SIZE",
            "What one user may write an hour in all rooms together, all of it at once if need be; 0 for any. Each\n"
                + "message, edit or reaction counts as 320 bytes and its text.",
            default: "1G", .live),
        Flag("room-bytes", "SIZE", "What all users may write an hour in one room; 0 for any.", default: "4G", .live),
        Flag(
            "memory-budget", "SIZE",
            "The memory for data that waits for clients, as 512M or 2G, at least 16M; beyond it the server closes\n"
                + "the connections that hold most. 0 for any.",
            default: "512M"),
        Flag(
            "trust-proxy", "ADDRESS,…",
            "Proxies, as 127.0.0.1 or 10.0.0.0/8, whose X-Forwarded-For is believed. Default: none.", .repeatable),
        Flag(
            "proxy-protocol", "Trusted proxies begin each connection with a PROXY header, version 1 or 2.",
            .needs("trust-proxy")),
        Flag(
            "tls-cert", "FILE", "PEM: the certificate, then those above it. The server then accepts only TLS.", .file,
            .needs("tls-key")),
        Flag(
            "tls-key", "FILE", "PEM: the certificate's key, without a password. SIGHUP reads both again.", .file,
            .needs("tls-cert")),
        Flag(
            "admin-token-file", "FILE",
            "Serve the admin API at /admin/v1/ to clients with the token in this file. SIGHUP reads it\n"
                + "again. Default: no such API.",
            .file),
        Flag(
            "backup-folder", "FOLDER", "The folder for the admin API's backups of --data. Default: no backups.", .file,
            .needs("admin-token-file"), .excludes("store")),
        Flag(
            "pictures",
            "The web page loads pictures of rooms and people, which shows the pictures' hosts the address of\n"
                + "every viewer."),
        Flag("keep-messages", "N", "The number of messages that a room keeps: the last ones. Default: all.", .live),
        Flag("keep-days", "N", "The number of days for which a room keeps messages. Default: for good.", .live),
        Flag(
            "keep-rooms", "ROOMS=RULE,…",
            "Other rules for some rooms, as lobby=1000, log-*=30d, chat-*=1000/30d or staff-*=all.", .repeatable, .live),
        Flag(
            "resume-days", "N",
            "How long deletions and commands are remembered. Default: for good, but 7 where not all\nmessages are kept.",
            .live),
        Flag(
            "route-by", "NAME",
            "The parameter of the URL that a proxy before several servers routes by: clients\n"
                + "put their room there. Default: none."),
        Flag(
            "emojis", "NAME,…",
            "Short names that reactions may have beside Unicode's emoji, as lgtm,shipit for :lgtm: and\n"
                + ":shipit:. Default: none."),
        Flag(
            "webhook", "URL", "The address to which every committed operation is posted. Default: none.", .secret,
            .needs("webhook-secret-file")),
        Flag(
            "webhook-secret-file", "FILE",
            "The key that signs those posts: whsec_ and 32 bytes in base64. SIGHUP reads it again.", .file,
            .needs("webhook")),
        Flag(
            "drain-delay", "SECONDS",
            "How long before it ends /readyz says 503 while it goes on serving, for load balancers;\n"
                + "skipped if /readyz had no request for a minute.",
            default: "5", .live),
        Flag("drain-time", "SECONDS", "How long closing the connections may take.", default: "10", .live),
        Flag("echo-path", "PATH", "Send every message at this path back, for trying out proxies. Default: none."),
        Flag("echo-limit", "BYTES", "The longest message at --echo-path.", default: "16777216"),
        Flag(
            "log-format", "FORMAT", "text or json. Default: text on a terminal, json elsewhere.",
            .choice(ServerLog.Format.allCases.map(\.rawValue))),
        Flag(
            "log-level", "LEVEL", "debug, info, warning or error.", default: "info", .live,
            .choice(ServerLog.Level.allCases.map(\.rawValue))),
    ],
    notes: """
        SIGTERM and SIGINT end it without losing anything; a second one ends it at once. SIGHUP reads all
        settings again and applies those that are marked live.
        Exit status: 0 ended as asked, 1 could not serve, 2 the command line was wrong.
        """,
    section: 8,
    subcommands: [
        Subcommand(DataCopy.backup.program, work: DataCopy.backup.run),
        Subcommand(DataCopy.restore.program, work: DataCopy.restore.run),
        Subcommand(DataCheck.program, work: DataCheck.run),
        Subcommand(EpochCommand.program, work: EpochCommand.run),
        Subcommand(ReshardCommand.program, work: ReshardCommand.run),
        Subcommand(TokenCommand.program, work: TokenCommand.run),
    ],
    neighbours: Program.Neighbours(mistaken: "DIFFROOM")
)
