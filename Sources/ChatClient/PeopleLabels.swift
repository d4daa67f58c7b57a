public import ChatWire

/// The labels of people, as far as a client knows their names.
///
/// ```swift
/// var labels = PeopleLabels()
/// client.know(labels.insert(change.view.messages.map(\.author)))
/// labels.apply(view)  // a PeopleView, when it comes
/// for message in change.view.messages { print("\(labels[message.author]): \(message.text)") }
/// ```
///
/// - Shape: names are other people's text. A terminal shows them neutralized.
public struct PeopleLabels: Sendable {
    private var profiles: [UserName: Profile] = [:]
    /// All people who were seen, with a profile or without.
    private var met: Set<UserName> = []
    /// The number of people with a display name.
    private var holders: [DisplayName: Int] = [:]

    public init() {}

    /// Records people who come to be shown.
    ///
    /// - Returns: those who were not met before: ask for them, by ``ChatClient/know(_:)``.
    public mutating func insert(_ people: some Sequence<UserName>) -> [UserName] {
        people.filter { $0 != .unknown && met.insert($0).inserted }
    }

    /// Applies the profiles that are known now.
    ///
    /// - Complexity: O(*n*).
    public mutating func apply(_ people: PeopleView) {
        profiles = Dictionary(people.people.map { ($0.id, $0.light) }) { first, _ in first }
        holders = [:]
        for name in profiles.values.compactMap(\.name) { holders[name, default: 0] += 1 }
    }

    /// The display name of a person; `nil` if they have none.
    public func displayName(of user: UserName) -> DisplayName? { profiles[user]?.name }

    /// Returns a person's label. The user name stands behind a display name that another user has, too, or that is
    /// another user's name, so that no user passes for another.
    public subscript(user: UserName) -> String {
        guard let name = profiles[user]?.name, name.description.utf8.elementsEqual(user.description.utf8) == false
        else {
            return user.description
        }
        let other = UserName(known: name.description)
        let isAmbiguous = holders[name] ?? 0 > 1 || other.map(met.contains) == true
        return isAmbiguous ? both(name, user) : name.description
    }

    /// Returns a person's label, with the user's name wherever it is another.
    public func full(_ user: UserName) -> String {
        guard let name = profiles[user]?.name, name.description.utf8.elementsEqual(user.description.utf8) == false
        else {
            return user.description
        }
        return both(name, user)
    }

    private func both(_ name: DisplayName, _ user: UserName) -> String { "\(name) (\(user))" }
}
