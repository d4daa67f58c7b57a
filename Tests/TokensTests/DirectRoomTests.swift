import ChatWire
import TestSupport
import Testing
import Tokens

/// The names of direct rooms.
struct DirectRoomTests {
    @Test func theyAreWhatTheVectorsSay() throws {
        let vectors = try ProtocolDocuments.vectors("direct-rooms")
        for example in vectors {
            let people = try #require(example["people"] as? [String]).map { try #require(UserName(known: $0)) }

            #expect(RoomName(directRoomOf: people).description == example["room"] as? String)
        }
        #expect(vectors.count == 10)
    }

    @Test func theAuthorIsOneOfThePeople() throws {
        let people = try ["ann", "bob", "cid"].map { try #require(UserName($0)) }
        let names = people.map { author in
            RoomName(of: .direct(people: people.filter { $0 != author }), by: author, .random())
        }

        #expect(Set(names) == [RoomName(directRoomOf: people.reversed())])
        #expect(RoomName(of: .direct(people: [people[0]]), by: people[1], .random()) != names[0])
    }
}
