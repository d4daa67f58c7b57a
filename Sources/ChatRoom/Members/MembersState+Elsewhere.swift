package import ChatWire

/// People on other servers. A person is online who is connected here or on another server.
extension MembersState {
    mutating func applyPresence(of others: [Presence], from server: ServerID) {
        for presence in others where presence.isHere || people[presence.name] != nil {
            let name = presence.name
            let said = presence.isHere ? presence : nil
            people[name]?.unconfirmed.remove(server)
            let isKnown = people[name].map { $0.elsewhere[server] == said && $0.light.read >= presence.read } ?? false
            if isKnown { continue }
            if people[name] == nil { lookUp(name) }
            people[name, default: Person()].elsewhere[server] = said
            if presence.isHere {
                people[name]?.isForgotten = false
                forgetting.cancel(name)
            }
            mergePresence(name, read: presence.read)
        }
    }

    /// Forgets a lost server. Its people get no further grace: its silence was grace enough.
    mutating func forget(_ server: ServerID) {
        for name in people.filter({ $0.value.elsewhere[server] != nil }).keys.sorted() {
            people[name]?.elsewhere[server] = nil
            people[name]?.unconfirmed.remove(server)
            mergePresence(name, read: 0)
        }
    }

    mutating func invalidateAll() {
        for (name, person) in people where person.isElsewhere { people[name]?.unconfirmed = Set(person.elsewhere.keys) }
    }

    /// Removes the people whom a doubted server did not name again: they have left.
    mutating func endDoubts() {
        for (name, person) in people.filter({ !$0.value.unconfirmed.isEmpty }).sorted(by: { $0.key < $1.key }) {
            for server in person.unconfirmed { people[name]?.elsewhere[server] = nil }
            people[name]?.unconfirmed = []
            mergePresence(name, read: 0)
        }
    }

    private mutating func mergePresence(_ name: UserName, read: Revision) {
        guard let person = people[name] else { return }
        people[name]?.light.read = max(person.light.read, read)
        showTyping(name)
        touch(name)
    }

    package func isHere(_ name: UserName) -> Bool {
        people[name]?.readers.isEmpty == false || leaving.contains(name)
    }

    /// Returns the news of a person that the other servers lack; `nil` if there is none.
    mutating func share(_ name: UserName) -> Presence? {
        guard policy.isShared, let person = people[name] else { return nil }
        let isHere = isHere(name)
        guard isHere || person.shared?.isHere == true || person.hasReadAway else { return nil }
        people[name]?.hasReadAway = false
        let now = Presence(
            name: name, isHere: isHere, isTyping: isHere && person.typesHere, read: person.light.read)
        guard now != person.shared else { return nil }
        people[name]?.shared = now
        return now
    }

    /// Sends another server all people who are online here. Departures follow with the next tick, as usual.
    mutating func shareAll() -> [Effect] {
        let here = people.keys.filter { isHere($0) }.sorted()
        for name in here { people[name]?.shared = nil }
        let news = here.compactMap { share($0) }
        return news.isEmpty ? [] : [.share(news)]
    }
}

extension MembersState.Person {
    var isElsewhere: Bool { !elsewhere.isEmpty }
    var isTypingElsewhere: Bool { elsewhere.values.contains(where: \.isTyping) }
}
