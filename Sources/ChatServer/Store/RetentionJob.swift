import ChatRoom
import ChatWire
import Dispatch
import Locking
import RoomStore

/// Removes old messages and operations: now and then a pass over all rooms, in steps so small that commits hardly wait.
final class RetentionJob: Sendable {
    private let store: any RoomStore
    private let retention = Guarded<Retention?>(nil)
    /// The rooms of this pass that are damaged: a step leaves them out from then on.
    private let damaged = Guarded<Set<RoomName>>([])
    private let rest: Duration
    private let metrics: Metrics
    private let errors: StoreErrors
    private let queue = DispatchQueue(label: "diffroom.retention", qos: .utility)

    /// The pause after a step, as a multiple of the step: a tenth of the time is the retention job's at most.
    private static let pause = 9.0
    private static let leastPause = Duration.milliseconds(5)

    /// - Parameter rest: from the end of a pass to the next.
    init(_ store: any RoomStore, rest: Duration, metrics: Metrics, errors: StoreErrors) {
        self.store = store
        self.rest = rest
        self.metrics = metrics
        self.errors = errors
    }

    /// Changes the retention, from the next step on; `nil` keeps everything, for good.
    func keep(_ retention: Retention?) {
        self.retention.withLock { $0 = retention }
    }

    /// Works for as long as this value is there.
    ///
    /// - Parameter notify: called with each room whose list begins later, and the revision at which that changed.
    func start(_ notify: @escaping @Sendable (RoomName, Revision) -> Void) {
        queue.async { self.step(part: 0, after: nil, notify) }
    }

    private func step(part: Int, after room: RoomName?, _ notify: @escaping @Sendable (RoomName, Revision) -> Void) {
        guard var retention = retention.withLock({ $0 }) else { return proceed(part: 0, after: nil, in: rest, notify) }
        retention.spared = damaged.withLock { $0 }
        assertMayWait()
        let start = ContinuousClock.now
        do throws(RoomStoreError) {
            let step = try store.trim(
                retention, part: part, after: room, at: StoreMoment(.now, lead: store.clock(ofPart: part)?.lead ?? 0))
            let duration = ContinuousClock.now - start
            count(step, duration)
            for (room, revision) in step.shortened { notify(room, revision) }
            let pause = max(Self.leastPause, duration * Self.pause)
            switch step.next {
            case .after(let room): proceed(part: part, after: room, in: pause, notify)
            case .done where part + 1 < store.parts: proceed(part: part + 1, after: nil, in: pause, notify)
            case .done: endPass(notify)
            }
        } catch {
            errors.note(error)
            guard case .damagedRoom(let damagedRoom, _) = error else { return endPass(notify) }
            // The same step without it; one that fails of it all the same is given up.
            let isKnown = !damaged.withLock { $0.insert(damagedRoom).inserted }
            proceed(part: part, after: isKnown ? damagedRoom : room, in: Self.leastPause, notify)
        }
    }

    private func endPass(_ notify: @escaping @Sendable (RoomName, Revision) -> Void) {
        damaged.withLock { $0 = [] }
        proceed(part: 0, after: nil, in: rest, notify)
    }

    private func count(_ step: Trimming, _ duration: Duration) {
        metrics.trimDuration.observe(duration)
        metrics.rowsTrimmed.add(step.rows)
        metrics.bytesFreed.add(step.bytesFreed)
    }

    private func proceed(
        part: Int, after room: RoomName?, in pause: Duration,
        _ notify: @escaping @Sendable (RoomName, Revision) -> Void
    ) {
        let delay = DispatchTimeInterval.microseconds(Int(pause / .microseconds(1)))
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in self?.step(part: part, after: room, notify) }
    }
}
