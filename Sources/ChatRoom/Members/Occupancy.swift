package import ChatWire

/// The people in a room and those who write there: enough to tell each member whether it is another person.
package struct Occupancy: Equatable, Sendable {
    package enum People: Equatable, Sendable {
        case nobody
        case one(UserName)
        case several

        init(_ names: some Collection<UserName>) {
            self = names.first.map { names.dropFirst().isEmpty ? .one($0) : .several } ?? .nobody
        }

        /// Returns whether one of them is another person than the user.
        func hasOthers(than user: UserName) -> Bool {
            switch self {
            case .nobody: false
            case .one(let name): name != user
            case .several: true
            }
        }
    }

    /// The people online, in a direct room. In other rooms each visit would change the lists of all members.
    package let here: People
    package let typing: People

    package static let empty = Occupancy(here: .nobody, typing: .nobody)

    package init(here: People, typing: People) {
        self.here = here
        self.typing = typing
    }
}

extension MembersState {
    package var occupancy: Occupancy {
        let online = people.lazy.filter { $0.value.section == .online }.map(\.key)
        return Occupancy(here: room.kind == .direct ? .init(online) : .nobody, typing: .init(writing))
    }
}
