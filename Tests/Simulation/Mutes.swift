import ChatRoom
import ChatWire

/// The mutes of one room, by the world's own time: each lasts as long as was said, whatever the clocks show.
struct Mutes {
    private var ends: [[UInt8]: Milliseconds] = [:]
    /// What a mute did that it must not, if there is anything.
    private(set) var confusion: String?

    mutating func follow(_ operation: Operation, _ outcome: CommitOutcome, at now: Milliseconds) {
        // The author of a text may say that it ends, and so may the server.
        if case .grow(_, .close) = operation.action { return }
        switch (operation.action, outcome) {
        case (.moderate(.mute(let user, let span)), .committed): ends[user.bytes] = now + span
        case (.moderate(.unmute(let user)), .committed): ends[user.bytes] = nil
        case (.send, .committed), (.edit, .committed), (.grow, .committed), (.react, .committed):
            guard let end = ends[operation.author.bytes], now < end else { return }
            confusion = "\(operation.author) writes at \(now), and is muted until \(end)"
        case (_, .refused(.muted(let rest))):
            guard let end = ends[operation.author.bytes], rest != end - now else { return }
            confusion = "\(operation.author) is muted for \(rest) ms at \(now), not until \(end)"
        default: break
        }
    }
}
