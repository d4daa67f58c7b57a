/// The settings of a room's members list.
package struct MembersPolicy: Equatable, Sendable {
    /// The least time between two diffs.
    package var tick = Duration.milliseconds(500)
    /// The time for which a person still counts as online after the last connection is gone.
    package var grace = Duration.seconds(5)
    /// The time for which a person counts as writing without a new `typing`.
    package var typing = Duration.seconds(5)
    /// The most online people in the list; the others are only counted.
    package var shown = 200
    /// The most members and invited people who have rows while they are not there: the first ones by name.
    package var listed = 200
    /// The most other people in the list who have left.
    package var remembered = 100
    /// The time for which a person who has left stays in the list.
    package var memory = Duration.seconds(24 * 60 * 60)

    /// The time after which the memberships are read again, because news of them may be lost; `nil` for never.
    package var reload: Duration?
    /// The pause after the store did not answer.
    package var retry = Duration.seconds(2)

    /// True when other servers are told who is online here.
    package var isShared = false

    package init() {}
}
