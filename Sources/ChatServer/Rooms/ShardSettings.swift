package import ChatRoom
package import ChatWire
package import RoomStore

/// The settings of one shard, fixed while the server runs.
package struct ShardSettings: Sendable {
    /// The shard's number, unique within the server.
    package var index = 0
    package var map: ShardMap
    /// The number of event loops.
    package var loops: Int
    package var limits: WireLimits
    package var members: MembersPolicy
    /// True when other servers share the rooms.
    package var isShared: Bool
    /// The parts of the store.
    package var partition = Partition(parts: 1)
    /// The most empty rooms whose members the shard remembers.
    package var restingRooms: Int
    /// The most rows in lists of rooms that have no readers at present.
    package var restingInboxRows = 50_000
    /// The time for which such a list is kept.
    package var inboxMemory = Duration.seconds(120)
    /// The time between two reviews of one person's lists, or of one profile, where other servers share them.
    package var refreshInterval = Duration.seconds(5)
    /// When lists are reviewed, where other servers share them.
    package var refreshes = Refreshes.always
    /// The number of standings up to which a room reads them all.
    package var fewStandings = RoomState.fewStandings
    /// The times at which refusals are given in private and direct rooms.
    package var refusalTimer = RefusalTimer()
    /// The most bytes of frames for one event loop in one decision, and one frame more. The frames of a decision count
    /// against the memory budget only when it is performed.
    package var decisionBytes = 1 << 20
    /// The time for which pieces of texts that grow are gathered into one diff.
    package var growthTick = Duration.milliseconds(40)
    /// A text that has not grown for six of these is closed.
    package var silenceTick = Duration.seconds(10)
    /// The time for which the replies to a message gather until its row says how many there are.
    package var threadTick = Duration.seconds(1)
    /// The pause after which the shard looks again whether the memory budget is used up.
    package var shortagePause = Duration.milliseconds(10)
    /// The most bytes of encoded frames that the shard caches.
    package var cacheBytes: Int
    /// The prefix of the epochs of members' lists, unique to each run of a server.
    package var run: String

    package enum Refreshes: Sendable {
        /// Again and again, because news may be lost.
        case always
        /// Once after ``News/invalidated``, and while the store did not answer.
        case afterLosses
    }

    package init(
        loops: Int, limits: WireLimits, members: MembersPolicy, isShared: Bool, restingRooms: Int, cacheBytes: Int,
        run: String, map: ShardMap = ShardMap(count: 1, seed: 0)
    ) {
        self.map = map
        self.loops = loops
        self.limits = limits
        self.members = members
        self.isShared = isShared
        self.restingRooms = restingRooms
        self.cacheBytes = cacheBytes
        self.run = run
    }
}

/// The time, epoch and allowances that a shard decides by.
package struct ShardConditions: Sendable {
    /// The time since the server started. It never decreases.
    let now: Duration
    /// The time of day by the server's clock, which may jump.
    let time: Milliseconds
    /// Returns the present instant of the store's time of a room.
    let instant: @Sendable (RoomName) -> Milliseconds
    /// The store's epoch.
    let epoch: Epoch
    let allowances: Allowances
    /// True while the memory budget is used up: no list is delivered now.
    let isShort: Bool

    package init(
        now: Duration, time: Milliseconds, epoch: Epoch, allowances: Allowances = Allowances(), isShort: Bool = false,
        instant: (@Sendable (RoomName) -> Milliseconds)? = nil
    ) {
        self.instant = instant ?? { _ in time }
        self.isShort = isShort
        self.now = now
        self.time = time
        self.epoch = epoch
        self.allowances = allowances
    }
}
