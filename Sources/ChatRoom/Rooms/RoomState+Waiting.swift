import ChatWire

extension RoomState {
    /// A reader that has subscribed or fallen behind, and is not at the published revision yet.
    struct Waiting: Sendable {
        let reader: Reader
        /// `nil` for a reader that fell behind: it awaits no answer and was admitted before.
        var request: (visitor: Visitor, ref: UInt64)?
        let limit: Int
        let resume: Resume?
        var delay = RefusalDelay()
        var held = Held.unread
        /// The number of readings so far.
        var readings = 0

        /// The store's reading of the rows that the reader holds.
        enum Held: Sendable {
            case unread
            case requested
            case read(HeldReading)
        }
    }
}

extension RoomState.Waiting {
    /// True when the store was asked for the reader's rows.
    var awaitsStore: Bool {
        if case .requested = held { true } else { false }
    }

    var reading: HeldReading? {
        if case .read(let reading) = held { reading } else { nil }
    }

    /// Returns whether the room needs a reading of the reader's rows: the first, or another.
    ///
    /// A reading that is later than the room waits for the room.
    func needsReading(_ timeline: RoomTimeline) -> Bool {
        switch held {
        case .unread: resume.map { !timeline.knows($0) } ?? false
        case .requested: false
        case .read(let reading):
            reading.revision < timeline.floor || reading.revision < resume?.revision ?? 0 && knowsRevision(timeline)
        }
    }

    private func knowsRevision(_ timeline: RoomTimeline) -> Bool {
        resume.map { $0.revision <= timeline.revision } ?? false
    }
}
