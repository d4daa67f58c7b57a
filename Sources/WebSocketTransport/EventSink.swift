/// The target of C callbacks: their context is a pointer to it.
final class EventSink<Event: Sendable>: Sendable {
    private let handler: @Sendable (Event) -> Void

    init(_ handler: @escaping @Sendable (Event) -> Void) {
        self.handler = handler
    }

    static func deliver(_ event: Event, at context: UnsafeMutableRawPointer?) {
        guard let context else { preconditionFailure("an event without its context: \(event)") }
        Unmanaged<EventSink>.fromOpaque(context).takeUnretainedValue().handler(event)
    }
}
