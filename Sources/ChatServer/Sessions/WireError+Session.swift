import ChatWire

/// The answers to requests that are refused before any room hears of them.
extension WireError {
    static let helloFirst = WireError(.helloFirst, "say hello first: {\"type\":\"hello\",\"ref\":1,\"user\":\"ann\"}")
    static let helloTooLong = WireError(
        .frame, "say hello first, in at most \(SessionState.longestHello) bytes: this was not read")
    static let helloTwice = WireError(
        .helloTwice, "hello was sent already: open another connection for another user")
    static func tooManyPending(_ limit: Int) -> WireError {
        WireError(.pending, "more than \(limit) requests wait for their answers: wait for some", retryAfter: 100)
    }

    static func tooManySubscriptions(_ limit: Int) -> WireError {
        WireError(
            .subscriptions, "this connection is subscribed to \(limit) lists, which is the most: unsubscribe from one")
    }

    static func notSubscribed(_ list: ListName) -> WireError {
        WireError(.notSubscribed, "not subscribed to \(list)")
    }

    static let tooFarAhead = WireError(
        .invalid, "at: is more than 366 days ahead, must be milliseconds since 1970 within 366 days", field: "at")

    static let blocksOneself = WireError(.invalid, "user: you cannot block yourself", field: "user")

    static func noPages(_ list: ListName) -> WireError {
        WireError(
            .notPaged, "list: \(list) cannot be paged: a subscription delivers all of its rows", field: "list")
    }
}
