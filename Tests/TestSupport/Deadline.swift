import Glibc

/// The longest time that a test waits for an event. Only a test that fails waits so long.
///
/// `DIFFROOM_TEST_DEADLINE` in the environment is a multiple of it, for machines that are slow or busy.
package enum Deadline {
    /// For one event.
    package static let event = Duration.seconds(eventSeconds)
    package static let eventSeconds = 60 * multiple
    /// For all events of a test, in minutes.
    package static let minutes = 10 * multiple

    private static let multiple = getenv("DIFFROOM_TEST_DEADLINE").flatMap { Int(String(cString: $0)) } ?? 1
}
