import ChatRoom
import ChatWire
import Dispatch
import HTTPClient
import Locking
import RoomStore

/// Posts every operation of one part of the store to the webhook, at least once and in each room's order.
///
/// The store records how far each room was delivered, so memory stays bounded however long the webhook is down.
final class WebhookDispatcher: @unchecked Sendable {
    // @unchecked: all mutable state is touched on `queue` only.
    private let store: any RoomStore
    private let part: Int
    private let webhook: WebhookConfiguration
    private let metrics: WebhookMetrics
    private let log: ServerLog
    private let queue = DispatchQueue(label: "diffroom.webhook")
    private let start = ContinuousClock.now
    /// A copy of the state of `rooms`, for other threads.
    private let waiting = Guarded<(rooms: Int, since: Duration?)>((0, nil))

    private var deliveries: (any Deliveries)?
    private var rooms = DeliveryQueue() {
        didSet { waiting.withLock { $0 = (rooms.count, rooms.oldest) } }
    }
    /// The lanes without an attempt.
    private var idle: [Lane]
    private var wake: Duration?
    /// The number of the last search of the store.
    private var sweeps = 0
    private var isEnded = false
    /// True when the last attempt failed.
    private var isFailing = false

    /// A thread that waits for an answer, and its connection.
    private struct Lane: Sendable {
        let queue: DispatchQueue
        let poster: HTTPPoster
    }

    /// The number of rooms that are delivered at the same time.
    private static let lanes = 4
    private static let page = 500

    init(
        of store: any RoomStore, part: Int, _ webhook: WebhookConfiguration, metrics: WebhookMetrics, log: ServerLog
    ) {
        self.store = store
        self.part = part
        self.webhook = webhook
        self.metrics = metrics
        self.log = log
        idle = (0..<Self.lanes).map {
            Lane(
                queue: DispatchQueue(label: "diffroom.webhook.\($0)", qos: .utility),
                poster: HTTPPoster(url: webhook.url, seconds: webhook.patience))
        }
        queue.async { self.open() }
    }

    /// Makes a dispatcher for each part of a store; `nil` without a webhook.
    static func forAllParts(
        of store: any RoomStore, _ webhook: WebhookConfiguration?, metrics: WebhookMetrics, log: ServerLog
    ) -> [WebhookDispatcher]? {
        webhook.map { webhook in
            (0..<store.parts).map { WebhookDispatcher(of: store, part: $0, webhook, metrics: metrics, log: log) }
        }
    }

    /// Notes new operations in these rooms. It can be called from any thread.
    func committed(_ rooms: Set<RoomName>) {
        queue.async {
            guard self.deliveries != nil else { return }
            for room in rooms { self.rooms.enqueue(room, at: self.now) }
            self.pump()
        }
    }

    /// Begins no further attempt. It can be called from any thread.
    func end() {
        queue.async { self.isEnded = true }
    }

    /// The number of waiting rooms, and the longest wait in seconds. It can be read from any thread, and does not
    /// block.
    var backlog: (rooms: Int, seconds: Double) {
        let (rooms, since) = waiting.withLock { $0 }
        return (rooms, since.map { (now - $0) / .seconds(1) } ?? 0)
    }

    private var now: Duration { start.duration(to: .now) }

    // MARK: - On the queue

    /// Begins where the store's record says, unless another server delivers.
    private func open() {
        guard !isEnded else { return }
        // Attempts under way when the role was lost must end first.
        guard idle.count == Self.lanes else { return after(.seconds(1)) { $0.open() } }
        do throws(RoomStoreError) {
            deliveries = try store.deliveries(part: part)
        } catch {
            log(.error, "the webhook waits for the store", ["why": "\(error)"])
        }
        guard deliveries != nil else { return after(.seconds(1)) { $0.open() } }
        sweep()
    }

    /// Searches all rooms for undelivered operations.
    ///
    /// It runs at the start, after an overflow, and, where other servers commit too, again and again for at most a
    /// twentieth of the time.
    private func sweep() {
        guard !isEnded, let deliveries else { return }
        sweeps += 1
        let (number, begin) = (sweeps, now)
        do throws(RoomStoreError) {
            var last: RoomName?
            repeat {
                let states = try deliveries.states(after: last, limit: Self.page)
                for state in states where state.isBehind { rooms.enqueue(state.room, at: now) }
                last = states.count == Self.page ? states.last?.room : nil
            } while last != nil && !rooms.hasOverflowed
        } catch {
            return reopen(error)
        }
        pump()
        guard store.others != nil else { return }
        after(max(.seconds(1), (now - begin) * 20)) { if $0.sweeps == number { $0.sweep() } }
    }

    private func pump() {
        guard !isEnded, let deliveries else { return }
        if rooms.endOverflow() { return sweep() }
        while let lane = idle.last, let room = rooms.next() {
            idle.removeLast()
            lane.queue.async { [self] in
                let attempt = Attempt(room: room, store: store, deliveries: deliveries, webhook: webhook)
                let result = attempt.perform(with: lane.poster, metrics)
                queue.async { self.finished(room, result, on: lane) }
            }
        }
        rest()
    }

    private func finished(_ room: RoomName, _ result: Attempt.Result, on lane: Lane) {
        idle.append(lane)
        // The queue was emptied when another server was found to deliver.
        guard deliveries != nil else { return }
        switch result {
        case .delivered(let more):
            if isFailing { log(.info, "the webhook accepts posts again") }
            isFailing = false
            rooms.finished(room, .delivered(more: more), at: now)
        case .failed(let why):
            if !isFailing { log(.warning, "the webhook fails: it is tried again", ["room": "\(room)", "why": why]) }
            isFailing = true
            rooms.finished(room, .failed(jitter: .random(in: 0...1)), at: now)
        case .lost(let error):
            return reopen(error)
        }
        pump()
    }

    /// Schedules a wake for the first resting room.
    private func rest() {
        guard let earliest = rooms.earliest, earliest < wake ?? .seconds(Int64.max) else { return }
        wake = earliest
        after(max(.zero, earliest - now)) { dispatcher in
            dispatcher.wake = nil
            dispatcher.rooms.wake(at: dispatcher.now)
            dispatcher.pump()
        }
    }

    private func reopen(_ error: RoomStoreError) {
        log(.warning, "the webhook reads its progress from the store again", ["why": "\(error)"])
        deliveries = nil
        rooms = DeliveryQueue()
        after(.seconds(1)) { $0.open() }
    }

    private func after(_ delay: Duration, _ body: @escaping @Sendable (WebhookDispatcher) -> Void) {
        let nanoseconds = Int((delay / .nanoseconds(1)).rounded(.up))
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
            if let self { body(self) }
        }
    }
}
