import ChatRoom
import ChatWire
import Testing

struct GrantsTests {
    private func role(in room: String, of roles: [String: Role]) throws -> Role {
        let pairs = try roles.map { (try #require(RoomPattern($0.key)), $0.value) }
        return Grants(Dictionary(uniqueKeysWithValues: pairs)).role(in: try #require(RoomName(room)))
    }

    @Test func eachRoleMayDoWhatThoseBeforeItMay() {
        #expect(Role.allCases == [.none, .read, .write, .moderate, .own])
        #expect(Role.allCases == Role.allCases.sorted())
    }

    @Test(arguments: Role.allCases)
    func aRoleIsReadAsItIsWritten(role: Role) {
        #expect(Role(role.description) == role)
    }

    @Test func aNameGrantsInThatRoomOnly() throws {
        #expect(try role(in: "lobby", of: ["lobby": .write]) == .write)
        #expect(try role(in: "lobby2", of: ["lobby": .write]) == .none)
        #expect(try role(in: "Lobby", of: ["lobby": .write]) == .none)
    }

    @Test func aBeginningGrantsInEveryRoomThatBeginsSo() throws {
        #expect(try role(in: "team-a", of: ["team-*": .read]) == .read)
        #expect(try role(in: "team-", of: ["team-*": .read]) == .read)
        #expect(try role(in: "team", of: ["team-*": .read]) == .none)
        #expect(try role(in: "my-team-a", of: ["team-*": .read]) == .none)
    }

    @Test func theMostSpecificDecidesWhetherItSaysMoreOrLess() throws {
        let roles: [String: Role] = ["*": .write, "staff-*": .none, "staff-news": .read, "staff-n*": .own]

        #expect(try role(in: "lobby", of: roles) == .write)
        #expect(try role(in: "staff-pay", of: roles) == .none)
        #expect(try role(in: "staff-nights", of: roles) == .own)
        #expect(try role(in: "staff-news", of: roles) == .read)
    }

    @Test func privateAndDirectRoomsHavePatternsOfTheirOwn() throws {
        let (secret, pair) = ("~0d9c2a54-8f3e-4b6a-a1d7-5e2f90c3b468", "@00112233445566778899aabbccddeeff")
        let roles: [String: Role] = ["*": .write, "~*": .none, "~0d9c2a54-8f3e*": .read, "@0011*": .own]

        #expect(try role(in: secret, of: roles) == .read)
        #expect(try role(in: "~1d9c2a54-8f3e-4b6a-a1d7-5e2f90c3b468", of: roles) == .none)
        #expect(try role(in: pair, of: roles) == .own)
        #expect(try role(in: "@10112233445566778899aabbccddeeff", of: roles) == .write)
        #expect(try role(in: secret, of: [secret: .own, "*": .none]) == .own)
        #expect(try role(in: "lobby", of: ["~*": .own, "@*": .own]) == .none)
        for text in ["~", "@", "~plans*", "@ann*", "~0D*", "~0d9c2a54-8f3e-4b6a-a1d7-5e2f90c3b468-*", "~~*"] {
            #expect(RoomPattern(text) == nil, "\(text)")
        }
    }

    @Test func aNameIsMoreSpecificThanAnyBeginning() throws {
        #expect(try role(in: "team-a", of: ["team-a*": .own, "team-a": .read]) == .read)
        #expect(try role(in: "team-a", of: ["team-a*": .read, "team-*": .own]) == .read)
    }

    @Test func nothingIsGrantedWhereNothingMatches() throws {
        #expect(try role(in: "lobby", of: [:]) == .none)
    }

    @Test func openGrantsLetEverybodyWriteEverywhereAndNothingMore() throws {
        #expect(Grants.open.role(in: try #require(RoomName("anywhere"))) == .write)
    }

    @Test(arguments: ["", "**", "*a", "a*b", "a b", "a/b", "ä", String(repeating: "a", count: 65), "a*\n"])
    func whatIsNeitherANameNorABeginningIsNoPattern(text: String) {
        #expect(RoomPattern(text) == nil)
    }
}
