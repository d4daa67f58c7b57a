package import ChatRoom
package import ChatWire
package import RoomStore
package import Tokens
package import WebSocketTransport

/// How a server runs. Everything has a default that suits a small machine.
package struct ChatServerConfiguration: Sendable {
    package var transport = WebSocketServerConfiguration()
    package var limits = WireLimits()
    package var allowances = Allowances()
    package var members = MembersPolicy()
    /// What clients are told of how to reach a room: see ``Welcome/route``.
    package var route: String?
    /// What is kept; `nil` for all, for good.
    package var retention: Retention?
    /// How long after a pass over all rooms for what is not to be kept the next one begins.
    package var retentionRest = Duration.seconds(60)
    /// What tokens are checked with; `nil` for a server where nobody proves who they are.
    package var keyring: Keyring?
    /// Whom to tell what was committed; `nil` for nobody.
    package var webhook: WebhookConfiguration?
    /// `nil` for no admin API.
    package var admin: AdminConfiguration?
    /// How long a connection may take to say hello.
    package var helloTime = Duration.seconds(5)
    /// Rooms with nobody in them that are remembered for who was there.
    package var restingRooms = 16_384
    /// Serial queues that rooms are spread over.
    package var shards = 4
    package var drain = DrainPolicy()

    package init() {}

    /// How many bytes of what was encoded are kept for those who want the same.
    var cacheBytes: Int {
        transport.memoryBudget == 0 ? 32 << 20 : transport.memoryBudget / 16
    }
}
