import ChatWire

/// The people whose profiles a client wants to know.
struct PeopleWanted: Sendable {
    /// The people, each with the number of the request that named them last.
    private var names: [UserName: UInt64] = [:]
    private var last: UInt64 = 0
    /// The people whom the server was not asked for yet, in order.
    private var unasked: [UserName] = []
    /// The time of the next request, when the server had no time for one.
    var due: Milliseconds?

    /// - Parameter most: the most names. Beyond that, the ones wanted longest ago are forgotten, as the server forgets
    ///   them.
    mutating func want(_ people: [UserName], most: Int) {
        last += 1
        for name in people where names.updateValue(last, forKey: name) == nil { unasked.append(name) }
        guard names.count > most else { return }
        for (name, _) in names.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }).prefix(names.count - most) {
            names[name] = nil
        }
        unasked.removeAll { names[$0] == nil }
    }

    /// Returns the names of the next request; none if there is nothing to ask for.
    mutating func next() -> [UserName] {
        let next = Array(unasked.prefix(ClientFrame.mostPeople))
        unasked.removeFirst(next.count)
        return next
    }

    /// The server has no time now: these are asked for again later.
    mutating func postpone(_ people: [UserName], until time: Milliseconds) {
        unasked = people.filter { names[$0] != nil } + unasked
        due = time
    }

    /// The next connection may be to a server that remembers nothing.
    mutating func connectionLost() {
        unasked = names.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
        due = nil
    }
}

extension ClientSession {
    mutating func want(_ people: [UserName]) {
        wanted.want(people, most: welcome?.limits.people ?? WireLimits().people)
        requestPeople()
        open(.myPeople, limit: ListDigest.window)
    }

    /// Requests the profiles of all who are wanted and were not requested yet. Call it before the list is subscribed to:
    /// its snapshot then has them.
    mutating func requestPeople() {
        guard welcome != nil, wanted.due.map({ $0 <= now }) ?? true else { return }
        wanted.due = nil
        while case let names = wanted.next(), !names.isEmpty { _ = request(.people(names), .people(names)) }
    }

    mutating func peopleRefused(_ names: [UserName], _ error: WireError) {
        if error.isPassing {
            wanted.postpone(names, until: now + error.pause)
        } else {
            notify(.refused(.myPeople, error))
        }
    }
}
