import TestSupport
import Testing

@testable import ChatWire

struct NameTests {
    /// The strings are equal in Swift and look the same.
    private let spellings = ["Jos\u{E9}", "Jose\u{301}"].compactMap { UserName(known: $0) }

    @Test func namesAreTheSameWhenTheirBytesAre() {
        #expect(spellings.count == 2 && spellings[0].description == spellings[1].description)

        #expect(spellings[0] != spellings[1] && Set(spellings).count == 2)
        #expect(spellings.map(\.hashValue)[0] != spellings.map(\.hashValue)[1])
        #expect(spellings[1] < spellings[0] && !(spellings[0] < spellings[1]))
        #expect(Epoch("K") != Epoch("\u{212A}"))
    }

    @Test func oneOfThemMayEnter() {
        #expect(spellings.map { UserName($0.description) != nil } == [true, false])
    }

    @Test(arguments: ["👩‍👩‍👧", "❤️‍🔥", "🏳️‍🌈", "1️⃣", "🧑🏽‍💻", "☺️", "日本", "பாடு", "O'Neil \"7\"", "x\u{323}\u{302}"])
    func whatCanBeSeenMayEnter(name: String) {
        #expect(UserName.fault(in: name) == nil)
    }

    @Test(arguments: [
        "ann\u{A0}", "\u{3000}ann", "a\u{2003}b", "ann  b", "\u{3164}", "\u{115F}", "\u{1160}", "\u{FFA0}", "\u{2800}",
        "\u{34F}", "\u{180B}", "\u{FE0F}", "\u{FE00}", "\u{E0100}", "ann\u{FE0F}", "1\u{FE0F}", "😀\u{FE0F}",
        "☺\u{FE0E}",
        "\u{17B4}", "\u{AD}", "\u{200B}", "\u{2060}", "\u{FEFF}", "a\u{200D}b", "👩\u{200D}", "\u{200D}👩", "\u{1D159}",
        "\u{301}",
    ])
    func whatLooksLikeNothingOrLikeAnotherMayNot(name: String) {
        #expect(UserName.fault(in: name) != nil && UserName(name) == nil)
        #expect(UserName(known: name) != nil)
    }

    @Test(arguments: [
        "👨‍👩‍👧‍👦", "🧑‍🧑‍🧒", "👩🏽‍🚀", "🧑‍⚕️", "👨🏿‍🦰", "🏃‍♀️", "🏃🏻‍♂️‍➡️", "🕵️‍♂️", "🕵🏽‍♂️", "⛹🏽‍♀️", "🧟‍♂️", "👩‍❤️‍💋‍👨", "🧑🏻‍🤝‍🧑🏿",
        "🫱🏻‍🫲🏿", "🏳️‍🌈", "🏳️‍⚧️", "🏴‍☠️", "❤️‍🔥", "❤️‍🩹", "🐻‍❄️", "🐈‍⬛", "👁️‍🗨️", "😶‍🌫️", "🙂‍↔️", "⛓️‍💥", "🍋‍🟩", "ann 🧑‍💻👩‍🔬!",
        "#️⃣", "☝🏽", "☝️", "🇩🇪", "👍🏽", "⚔️ann⚔️", "Acme™", "ann ♥",
    ])
    func emojiMayEnterAsUnicodeListsThem(name: String) {
        #expect(UserName.fault(in: name) == nil && DisplayName(name) != nil)
    }

    @Test(arguments: [
        ("🍎🍐", "🍎\u{200D}🍐"), ("©®", "©\u{200D}®"), ("🏳️‍🌈", "🏳\u{200D}🌈"), ("👁️‍🗨️", "👁\u{200D}🗨"), ("👁️‍🗨️", "👁\u{200D}🗨️"),
        ("👁️‍🗨️", "👁️\u{200D}🗨"), ("Acme™", "Acme™\u{FE0F}"), ("🏃‍♀️", "🏃\u{200D}♀"), ("🕵🏽‍♂️", "🕵️🏽\u{200D}♂️"), ("☝🏽", "☝️🏽"),
        ("1️⃣", "1\u{20E3}"), ("👨👩", "👨\u{200D}👩"), ("👨‍👩‍👧", "👨‍👩‍👧\u{200D}"), ("🇩🇪🇫🇷", "🇩🇪\u{200D}🇫🇷"), ("🧑🏽‍💻", "🧑🏽\u{FE0F}\u{200D}💻"),
        ("👍🏽", "👍\u{200D}🏽"), ("🤝🧑", "🤝\u{200D}🧑"),
    ])
    func ofTwoThatLookTheSameOneMayEnter(name: String, other: String) {
        #expect(UserName.fault(in: name) == nil && UserName.fault(in: other) != nil)
        #expect(DisplayName(name) != nil && DisplayName(other) == nil)
        #expect(UserName(known: other) != nil && DisplayName(known: other) != nil)
    }

    /// The vectors of the names of rooms and threads.
    @Test func namesOfRoomsAndThreadsAreReadAsTheVectorsSay() throws {
        for example in try ProtocolDocuments.vectors("names") {
            let text = try #require(example["name"] as? String)
            let name = RoomName(text)

            #expect(name?.ruling.description == example["room"] as? String, "\(text)")
            #expect(name?.root?.description == example["root"] as? String, "\(text)")
            #expect(name?.description == (name == nil ? nil : text))
            if let room = name?.parent, let root = name?.root { #expect(room.thread(of: root) == name) }
        }
    }

    @Test func whatIsKnownIsReadByItsBytesAlone() {
        #expect(UserName(known: "\u{10FFFD}") != nil && UserName(known: " a ") != nil)
        #expect(UserName(known: "") == nil && UserName(known: "a\nb") == nil && UserName(known: "\u{7F}") == nil)
        #expect(UserName(known: String(repeating: "é", count: 33)) == nil)
    }

    @Test func aRoomIsNoPlaceInAPath() {
        #expect(RoomName(".") == nil && RoomName("..") == nil && ListName("room/../messages") == nil)
        #expect(RoomName("...") != nil && RoomName(known: "..") != nil)
    }

    @Test func aRoomsNameTellsItsKind() throws {
        let id = try #require(UniqueID("0d9c2a54-8f3e-4b6a-a1d7-5e2f90c3b468"))

        #expect(RoomName("lobby")?.kind == .open && RoomName("...")?.kind == .open)
        #expect(RoomName(privateRoomOf: id).description == "~0d9c2a54-8f3e-4b6a-a1d7-5e2f90c3b468")
        #expect(RoomName(directRoomOf: id).description == "@0d9c2a548f3e4b6aa1d75e2f90c3b468")
        #expect(RoomName(RoomName(privateRoomOf: id).description)?.kind == .private)
        #expect(RoomName(RoomName(directRoomOf: id).description)?.kind == .direct)
        #expect(ListName("room/~\(id)/members")?.room?.kind == .private)
    }

    @Test func aBackupIsNamedLikeAnOpenRoom() {
        #expect(BackupName("nightly.1") != nil)
        #expect(BackupName("~0d9c2a54-8f3e-4b6a-a1d7-5e2f90c3b468") == nil)
        #expect(BackupName("@00112233445566778899aabbccddeeff") == nil)
    }

    @Test func aTitleHasNoControlCharacters() {
        #expect(RoomTitle("Plans \"7\" 日本") != nil && RoomTitle(String(repeating: "é", count: 100)) != nil)
        #expect(RoomTitle("") == nil && RoomTitle(String(repeating: "é", count: 101)) == nil)
        #expect(RoomTopic(String(repeating: "é", count: 500)) != nil && RoomTopic("") == nil)
        #expect(RoomTopic(String(repeating: "é", count: 501)) == nil && RoomTopic("a\nb") == nil)
        #expect(RoomTitle("a\nb") == nil && RoomTitle("a\u{9B}b") == nil && RoomTitle("\u{7F}") == nil)
    }

    @Test(arguments: [
        "https://a", "https://chat.example/room.png", "https://[::1]:8443/?a=b&c=%20#d",
        "https://a/" + String(repeating: "x", count: 990), "https://xn--bcher-kva.example",
    ])
    func aPictureIsAnHTTPSURL(text: String) {
        #expect(Picture(text)?.description == text)
    }

    @Test(arguments: [
        "", "http://a", "https://", "https:///a", "https://?a", "https://:80", "HTTPS://a", "//a", "data:,a", "a",
        "https://ann@a", "https://a b", "https://a\n", "https://a\"", "https://a<", "https://é", "javascript:alert(1)",
        "https://a/" + String(repeating: "x", count: 991), " https://a", "https://a\\b", "https://a\u{7F}",
    ])
    func anythingElseIsNoPicture(text: String) {
        #expect(Picture(text) == nil)
    }
}
