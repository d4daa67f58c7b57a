import ChatWire

/// A line about messages and reminders for later.
enum LaterLine: Equatable {
    /// Lists them.
    case list
    /// Sends a text to the room at a time.
    case schedule(LaterTime, String)
    /// Reminds of a message; `nil` is the chosen one, or the last one.
    case remind(LaterTime, of: InputLine.Which?)
    /// Cancels the item whose id begins so.
    case cancel(String)

    static let manual = """
          /schedule WHEN TEXT  send TEXT to this room then: 20m, 3h, 2d, 9:00, tomorrow 9:00 or 2026-12-24 9:00
          /remind WHEN [N]  remind you of message N, or of the last one
          /later            list your messages and reminders for later
          /later cancel ID  cancel one, or end a reminder; ID as /later shows it
        """

    /// Reads such a line; `nil` for a command of another kind.
    ///
    /// - Throws: the remedy.
    init?(command: String, _ rest: String) throws(InputError) {
        switch command {
        case "later":
            let words = rest.split(separator: " ").map(String.init)
            switch (words.first, words.count) {
            case (nil, _): self = .list
            case ("cancel", 2): self = .cancel(words[1].lowercased())
            default: throw InputError("usage: /later, or /later cancel ID")
            }
        case "schedule":
            let (time, text) = try Self.time(rest, "/schedule WHEN TEXT")
            guard !text.isEmpty else { throw InputError("usage: /schedule WHEN TEXT: what is to be sent?") }
            self = .schedule(time, text)
        case "remind":
            let (time, which) = try Self.time(rest, "/remind WHEN [N]")
            guard !which.trimmed.contains(" ") else {
                throw InputError("usage: /remind WHEN [N]: one message at a time")
            }
            self = .remind(time, of: which.isEmpty ? nil : try InputLine.which(which, "/remind WHEN [N]"))
        default: return nil
        }
    }

    private static func time(_ rest: String, _ usage: String) throws(InputError) -> (LaterTime, String) {
        guard let (time, rest) = LaterTime.read(rest) else {
            throw InputError("usage: \(usage); WHEN is as 20m, 3h, 2d, 9:00, tomorrow 9:00 or 2026-12-24 9:00")
        }
        return (time, rest)
    }
}

/// A time that a person has entered.
enum LaterTime: Equatable {
    case after(Milliseconds)
    /// A time of day: the next one.
    case next(hour: Int32, minute: Int32)
    case tomorrow(hour: Int32, minute: Int32)
    /// A day such as `2026-12-24`, and a time on it.
    case on(String, hour: Int32, minute: Int32)

    private static let units: [Character: Milliseconds] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]

    /// Reads a time from the beginning of a text.
    ///
    /// - Returns: the time and the rest of the text; `nil` if the text does not begin with a time.
    static func read(_ text: String) -> (LaterTime, rest: String)? {
        let words = text.split(separator: " ", maxSplits: 2)
        guard let first = words.first else { return nil }
        func rest(after count: Int) -> String {
            let rest = text.split(separator: " ", maxSplits: count)
            return rest.count > count ? rest[count].drop { $0 == " " }.description : ""
        }
        if let span = span(first) { return (.after(span), rest(after: 1)) }
        if let (hour, minute) = timeOfDay(first) { return (.next(hour: hour, minute: minute), rest(after: 1)) }
        guard words.count > 1, let (hour, minute) = timeOfDay(words[1]) else { return nil }
        if first == "tomorrow" { return (.tomorrow(hour: hour, minute: minute), rest(after: 2)) }
        guard WallClock().time(onDay: String(first), hour: hour, minute: minute) != nil else { return nil }
        return (.on(String(first), hour: hour, minute: minute), rest(after: 2))
    }

    private static func span(_ word: Substring) -> Milliseconds? {
        guard let unit = word.last.flatMap({ units[$0] }), let count = UInt16(word.dropLast()) else { return nil }
        return Milliseconds(count) * unit
    }

    private static func timeOfDay(_ word: Substring) -> (Int32, Int32)? {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count == 2, let hour = Int32(parts[0]), let minute = Int32(parts[1]),
            (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        return (hour, minute)
    }

    /// Returns the time of day in milliseconds, which is still to come.
    ///
    /// - Throws: the remedy.
    func moment(at now: Milliseconds) throws(InputError) -> Milliseconds {
        guard let time = time(at: now) else { throw InputError("there is no such time") }
        guard time > now else { throw InputError("that time has passed: name a later one") }
        guard time <= now + LaterItem.horizon else { throw InputError("that is too far ahead: 366 days are the limit") }
        return time
    }

    /// Returns the time of day in milliseconds; `nil` if there is no such time.
    ///
    /// - Parameter now: the present time of day.
    func time(at now: Milliseconds, _ clock: WallClock = WallClock()) -> Milliseconds? {
        switch self {
        case .after(let span): return now + span
        case .next(let hour, let minute):
            let today = clock.time(onDay: clock.date(now), hour: hour, minute: minute)
            if let today, today > now { return today }
            return clock.time(onDay: clock.date(now), plus: 1, hour: hour, minute: minute)
        case .tomorrow(let hour, let minute):
            return clock.time(onDay: clock.date(now), plus: 1, hour: hour, minute: minute)
        case .on(let day, let hour, let minute): return clock.time(onDay: day, hour: hour, minute: minute)
        }
    }
}
