package import ChatRoom
package import ChatWire
package import Files
package import RoomStore
package import Tokens
package import WebSocketTransport

/// The settings of a server. Everything has a default that suits a small machine.
package struct ChatServerConfiguration: Sendable {
    package var transport = WebSocketServerConfiguration()
    package var limits = WireLimits()
    package var allowances = Allowances()
    package var members = MembersPolicy()
    /// The URL parameter for rooms that clients are told of: see ``Welcome/route``.
    package var route: String?
    /// The retention; `nil` to keep everything for ever.
    package var retention: Retention?
    /// The pause between two passes of retention over all rooms.
    package var retentionRest = Duration.seconds(60)
    /// The keys that tokens are checked with; `nil` for a server where names need no proof.
    package var keyring: Keyring?
    /// The webhook; `nil` for none.
    package var webhook: WebhookConfiguration?
    /// Where the files of messages are; `nil` for a server that keeps none.
    package var files: (any FileKeeper)?
    /// `nil` for no admin API.
    package var admin: AdminConfiguration?
    /// True when the web page may load the pictures of rooms, from whatever hosts they are on.
    package var showsPictures = false
    /// The time in which a connection must say hello.
    package var helloTime = Duration.seconds(5)
    /// The number of empty rooms whose members are remembered.
    package var restingRooms = 16_384
    /// The number of serial queues that share the rooms.
    package var shards = 4
    /// The longest time that operations wait for others that came together with them, and whose shard is slow.
    package var commitPatience = Duration.milliseconds(5)
    package var drain = DrainPolicy()
    /// The time between two reviews of what other servers may have changed for a person.
    package var refreshInterval = Duration.seconds(5)

    /// The times at which refusals are given in private and direct rooms.
    package var refusalTimer = RefusalTimer()

    /// A text that has not grown for six of these is closed.
    package var silenceTick = Duration.seconds(10)
    /// The time for which replies gather before the message that they answer says so.
    package var threadTick = Duration.seconds(1)
    package var laterPace = LaterPace()

    package init() {}

    /// The space for encoded frames that are kept for further readers, in bytes.
    var cacheBytes: Int {
        transport.memoryBudget == 0 ? 32 << 20 : transport.memoryBudget / 16
    }

    /// The limits of each committer: an eighth of the memory budget is for operations that wait for the disk.
    func ofCommits(parts: Int) -> CommitLimits {
        let bytes = transport.memoryBudget == 0 ? 64 << 20 : transport.memoryBudget / 8
        return CommitLimits(bytes: bytes / parts, patience: commitPatience)
    }
}
