package import ChatWire

/// A list of what the store keeps of its own user, such as `me/drafts`. A conforming type decides the rows.
package protocol OwnPeopleList: PeopleList where Names == [UserName], Value == [Item] {
    /// The stored data of a row.
    associatedtype Item: Equatable & Sendable

    /// `nil` before the first request.
    var user: UserName? { get set }
    var isTouched: Bool { get set }
    /// The time of the next change that follows from time alone; `nil` if there is none.
    var next: Duration? { get }

    /// Makes the rows those of the items.
    mutating func show(_ items: [Item], at now: Duration, time: Milliseconds)
}

extension OwnPeopleList {
    package var names: [UserName] { user.map { [$0] } ?? [] }
    package var count: Int { user == nil ? 0 : 1 }
    package var next: Duration? { nil }

    package var due: Duration? {
        guard isFollowed else { return nil }
        if isTouched || list.rows.missing != shownMissing { return list.soonest }
        return next.map { max($0, list.soonest) }
    }

    private var shownMissing: [Int] { missing.map { $0 + 1 }.sorted() }

    /// - Parameter names: the list's user.
    package mutating func request(_ names: [UserName]) -> (new: [UserName], fallen: [UserName]) {
        guard user == nil, let name = names.first else { return ([], []) }
        (user, isTouched) = (name, true)
        return ([name], [])
    }

    package mutating func touch(_ name: UserName) {
        if name == user { isTouched = true }
    }

    package mutating func commit(
        at now: Duration, time: Milliseconds, _ value: (UserName) -> Value?
    ) -> ListDiff<Row>? {
        if isTouched || next.map({ $0 <= now }) ?? false, let user { show(value(user) ?? [], at: now, time: time) }
        isTouched = false
        return list.commit(at: now, missing: shownMissing)
    }
}
