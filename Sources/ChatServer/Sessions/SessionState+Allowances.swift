import ChatRoom
import ChatWire

/// The rates at which one connection talks.
struct Pace: Sendable {
    private var commands = RateBucket()
    private var pages = RateBucket()
    private var refusals = RateBucket()

    /// Why something may not be asked now, if so, and which limit that is.
    mutating func refusal(
        of request: ClientFrame.Request?, _ allowances: Allowances, at time: Milliseconds
    ) -> (HeldLimit, WireError)? {
        if let rate = allowances.commands, let wait = commands.consume(request?.frames ?? 1, at: time, rate) {
            return (.commandRate, .tooManyCommands(wait))
        }
        switch request {
        case .page, .mentionsPage, .membersPage, .audit, .search, .upload, .links, .people, .subscribe:
            guard let rate = allowances.pages, let wait = pages.consume(at: time, rate) else { return nil }
            return (.pageRate, .tooManyPages(wait))
        case .hello, .unsubscribe, .send, .edit, .grow, .delete, .react, .typing, .read, .readRooms, .join, .leave,
            .settings,
            .create, .moderate, .draft, .later, .block, .token, .ping, nil:
            return nil
        }
    }

    /// Why nothing may be said now, if so.
    mutating func refusal(at time: Milliseconds, _ allowances: Allowances) -> WireError? {
        guard let rate = allowances.commands else { return nil }
        return commands.consume(0, at: time, rate).map { .tooManyCommands($0) }
    }

    /// An answer had so many bytes more than its request has paid for, or with a negative number fewer.
    mutating func charge(_ bytes: Int, _ rate: Rate, at time: Milliseconds) {
        pages.charge(bytes, of: Allowances.pageBytes, at: time, rate)
    }

    /// Counts a refusal, and returns true when there were more than a client that heeds them could have caused: all
    /// that may be under way, and a good deal more.
    mutating func isAbusive(_ limits: WireLimits, at time: Milliseconds) -> Bool {
        refusals.consume(at: time, Rate(limits.pending, burst: 4 * limits.pending)) != nil
    }
}

extension ClientFrame.Request {
    /// The number of frames as which the request counts: a mark in several rooms costs as much as one in each.
    fileprivate var frames: Int {
        if case .readRooms(let rooms) = self { rooms.count } else { 1 }
    }
}
