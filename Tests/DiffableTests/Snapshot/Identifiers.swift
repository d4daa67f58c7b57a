/// Equal by `id` alone: two of them may be equal and say different things.
struct Labelled: Hashable, Sendable {
    var id: Int
    var label: String

    static func == (a: Labelled, b: Labelled) -> Bool { a.id == b.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The worst identifier there is: every one has the same hash.
struct Colliding: Hashable, Sendable {
    var id: Int

    func hash(into hasher: inout Hasher) {}
}
