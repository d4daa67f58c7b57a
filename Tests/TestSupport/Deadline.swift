package import Dispatch
import Glibc
package import Testing

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

extension DispatchSemaphore {
    /// Waits for a signal. After ``Deadline/event`` the test fails, with the reason that `explain` returns.
    ///
    /// - Returns: True when the signal came.
    @discardableResult
    package func waitForEvent(
        at location: SourceLocation = #_sourceLocation, or explain: @autoclosure () -> Comment = "the event never came"
    ) -> Bool {
        if wait(timeout: .now() + .seconds(Deadline.eventSeconds)) == .success { return true }
        Issue.record(explain(), sourceLocation: location)
        return false
    }
}
