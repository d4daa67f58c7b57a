import CPostgres
import Dispatch
import Foundation
import Locking
import Synchronization

/// An attempt to connect to a machine, on a thread of its own.
///
/// libpq waits for a name server for as long as that takes. So the caller waits for the attempt, and leaves it to itself
/// when the time is over.
final class ConnectionAttempt: Sendable {
    /// A connection of libpq's, which any thread may use, one at a time.
    private struct Handle: @unchecked Sendable {
        // @unchecked: the thread that made it gives it away.
        let pointer: OpaquePointer?
    }

    private enum State: Sendable {
        /// Next: `made` or `abandoned`.
        case underWay
        /// The caller takes the connection.
        case made(Handle)
        /// No caller waits: the thread closes the connection.
        case abandoned
    }

    /// The attempts without a waiting caller that have not ended.
    private static let abandoned = Atomic(0)
    /// The most of them. With so many, further attempts fail at once.
    private static let most = 64
    /// The least time that a machine has.
    private static let least = Duration.seconds(1)

    private let state = Guarded(State.underWay)
    private let ended = DispatchSemaphore(value: 0)

    /// Returns a new connection to a machine, which may have failed; `nil` without memory.
    ///
    /// - Errors: `lost` when the time is over. It is a second at least.
    static func connect(
        _ address: PostgresAddress, to host: PostgresAddress.Host, within time: Duration
    ) throws(PostgresFailure) -> OpaquePointer? {
        guard abandoned.load(ordering: .relaxed) < most else { throw silence(of: host) }
        let attempt = ConnectionAttempt()
        Thread.detachNewThread { attempt.end(with: Handle(pointer: address.connect(to: host))) }
        _ = attempt.ended.wait(timeout: .now() + .milliseconds(Int(max(time, least) / .milliseconds(1))))
        guard let handle = attempt.finish() else { throw silence(of: host) }
        return handle.pointer
    }

    private static func silence(of host: PostgresAddress.Host) -> PostgresFailure {
        .lost("connecting to \(host.name) takes too long: does the name server answer?")
    }

    private func end(with handle: Handle) {
        let isWanted = state.withLock { state in
            guard case .underWay = state else { return false }
            state = .made(handle)
            return true
        }
        if isWanted {
            ended.signal()
        } else {
            PQfinish(handle.pointer)
            Self.abandoned.subtract(1, ordering: .relaxed)
        }
    }

    /// Returns what was made; `nil` if the attempt is abandoned.
    private func finish() -> Handle? {
        state.withLock { state in
            if case .made(let handle) = state { return handle }
            state = .abandoned
            Self.abandoned.add(1, ordering: .relaxed)
            return nil
        }
    }
}
