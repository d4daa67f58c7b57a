import ChatWire

/// The diffs of texts that grow, and the end of those that their authors have left.
extension RoomState {
    /// False while a reader waits for its first rows: it needs everything published.
    func mayHoldGrowth(_ timeline: RoomTimeline) -> Bool {
        !isOnGrowthTick && !readers.isEmpty && waiting.isEmpty && readRequests.isEmpty
            && timeline.revision > published && timeline.onlyGrew(since: published)
    }

    mutating func tickGrowth() -> [Effect] {
        isOnGrowthTick = true
        defer { isOnGrowthTick = false }
        return flush()
    }

    /// True when texts grow: ``Input/silenceTick(at:)`` closes those that their authors have left.
    package var hasOpenMessages: Bool { timeline?.hasOpenRows ?? false }

    /// The number of ticks after which a message is closed.
    private static let mostSilence = 6

    /// - Parameter time: the time of day.
    mutating func tickSilence(at time: Milliseconds) -> [Effect] {
        let before = silences
        silences = [:]
        var effects: [Effect] = []
        for row in timeline?.openRows ?? [] {
            let size = row.text.utf8.count
            let silence = before[row.id].flatMap { $0.size == size ? $0.ticks + 1 : nil } ?? 0
            silences[row.id] = (size, silence)
            if silence >= Self.mostSilence { effects.append(interrupt(row, at: time)) }
        }
        return effects
    }

    /// Closes a message in its author's name. If several servers do so, the first one has an effect. The id has the time in it,
    /// so that a later try has another id: a user may have used the first one.
    private mutating func interrupt(_ row: Message, at time: Milliseconds) -> Effect {
        let command = CommandID(high: row.id.high ^ UInt64(bitPattern: time), low: ~row.id.low)
        return commit(.grow(row.id, .close(.interrupted)), as: command, by: row.author, at: time)
    }
}
