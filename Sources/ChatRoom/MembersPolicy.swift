/// How a room tells who is there.
package struct MembersPolicy: Equatable, Sendable {
    /// The least time between two diffs.
    package var tick = Duration.milliseconds(500)
    /// How long somebody whose last connection is gone still counts as there.
    package var grace = Duration.seconds(5)
    /// How long somebody is writing without saying so again.
    package var typing = Duration.seconds(5)
    /// How many of the people who are there stand in the list; the others are counted.
    package var shown = 200
    /// How many of the people who left stand in the list.
    package var remembered = 100
    /// For how long.
    package var memory = Duration.seconds(24 * 60 * 60)

    /// Whether other servers are to be told who is here.
    package var isShared = false

    package init() {}
}
