/// Equal by `id` alone: two of them may be equal and say different things.
struct Labelled: Hashable, Sendable {
    var id: Int
    var label: String

    static func == (a: Labelled, b: Labelled) -> Bool { a.id == b.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// An identifier that stands for a number, so that lists of any of them can be held against lists of numbers.
protocol Numbered: Hashable, Sendable {
    init(_ number: Int)

    var number: Int { get }
}

/// The best identifier there is: hardly any two have the same hash.
extension Int: Numbered {
    var number: Int { self }
}

/// A coarse one: each third one has the same hash.
struct Coarse: Numbered {
    var number: Int

    init(_ number: Int) { self.number = number }

    func hash(into hasher: inout Hasher) { hasher.combine(number % 3) }
}

/// The worst one: all have the same hash.
struct Colliding: Numbered {
    var number: Int

    init(_ number: Int) { self.number = number }

    func hash(into hasher: inout Hasher) {}
}

/// How the hashes of identifiers are spread. What holds for a list holds for each.
enum Hashes: CaseIterable, Sendable {
    case different
    case three
    case one

    var identifier: any Numbered.Type {
        switch self {
        case .different: Int.self
        case .three: Coarse.self
        case .one: Colliding.self
        }
    }
}
