import ChatRoom
import ChatWire
import Foundation
import RoomStore
import Testing

import struct TestSupport.SplitMix64
import class TestSupport.TemporaryFolder

@testable import SQLiteStore

/// A closed file of which a disk has changed one byte: what is read is what was written, or an error.
struct ServedDamageTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("rooms.db") }

    private static let rooms = ["attic", "lobby", "plans"].map { RoomName($0)! }
    private static let people = ["ann", "bob", "carl"].map { UserName($0)! }

    /// The bytes of a file with all kinds of rows, and what is read of it. LeakSanitizer does not find the memory of a kept
    /// `Data`, whose address has marks.
    private static let written: (bytes: [UInt8], answers: [Answer])? = try? make()

    private static func make() throws -> ([UInt8], [Answer]) {
        let folder = TemporaryFolder()
        let path = folder.file("rooms.db")
        try fill(path)
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        return (bytes, answers(of: try SQLiteStore(path: path)))
    }

    private static func fill(_ path: String) throws {
        let store = try SQLiteStore(path: path)
        _ = try store.write(people.map { ProfileChange(user: $0, profile: profile(of: $0), source: .operator(1)) })
        for room in rooms {
            let acts: [RoomAction] =
                [.join]
                + (0..<120).map { number in
                    let text = "message \(number) of \(room): \(String(repeating: "abc ", count: number % 40))"
                    return .send(MessageContent(text, mentions: number % 10 == 0 ? [people[1]] : []))
                } + [
                    .edit(id(3), "third"), .delete(id(5)), .react(id(7), emoji: "👍", .on),
                    .moderate(.title(RoomTitle("The room \(room)"))), .moderate(.topic(RoomTopic("A topic"))),
                    .moderate(.mute(people[2], for: 60_000)), .send(MessageContent("the last", replyTo: id(8))),
                ]
            _ = try store.commit(
                acts.enumerated().map { .act(UInt64($0), $1, by: people[0], as: .own, in: room) })
            _ = try store.commit(
                people.dropFirst().enumerated().map { .act(UInt64($0 + 900), .join, by: $1, in: room) },
                marking: [ReadMark(room: room, user: people[0], revision: 100)])
        }
        try store.close()
    }

    private static func profile(of user: UserName) -> Profile {
        Profile(name: DisplayName("Name of \(user)"), picture: Picture("https://chat.example/\(user).png"))
    }

    /// What one question to the store gives.
    private struct Answer {
        let question: String
        /// Descriptions of the parts, each of which is served or left out where `isList`; `nil` for an error.
        let parts: [String]?
        let isList: Bool
    }

    private static func answers(of store: SQLiteStore) -> [Answer] {
        var answers: [Answer] = []
        func ask(_ question: String, isList: Bool = false, _ body: () throws -> [Any]) {
            let parts = (try? body()).map { $0.map { "\($0)" } }
            answers.append(Answer(question: question, parts: parts, isList: isList))
        }
        for room in rooms {
            ask("\(room)") { parts(of: try store.soundReading(of: room, tail: 50, since: 100, atMost: 100)) }
            for start in stride(from: UInt64(20), through: 140, by: 20) {
                ask("\(room) before \(start)") {
                    try store.page(room, .before(start), limit: 20).map(parts) ?? ["none"]
                }
            }
            ask("operations of \(room)") { try store.operations(room, since: 0, limit: 500) }
            ask("audit of \(room)") { [try store.audit(room, before: 1_000, limit: 100)] }
            ask("members of \(room)") { try store.members(of: room, after: nil, limit: 10) }
        }
        for user in people {
            ask("memberships of \(user)", isList: true) { try store.memberships(of: user) }
            ask("mentions of \(user)", isList: true) {
                // A list shows none of a room without a membership, and a membership may be lost with its row.
                try store.mentions(of: user, in: rooms, before: nil, limit: 100).filter { $0.read != nil }
            }
            ask("profile of \(user)", isList: true) {
                try store.profiles(of: [user]).values.map { "\($0)" }
            }
        }
        ask("rooms", isList: true) { try store.rooms(after: nil, limit: 10) }
        return answers
    }

    private static func parts(of reading: RoomReading) -> [Any] {
        guard case .all(let changes) = reading.changes else { return ["not all changes"] }
        return [reading.revision, reading.count, reading.rules, reading.start] + reading.tail + changes
    }

    private static func parts(of page: ListPage<Message>) -> [Any] {
        [page.revision, page.from, page.to, page.more, page.newer] + page.rows
    }

    @Test(arguments: UInt64(0)..<300)
    func whatIsReadOfADamagedFileIsWhatWasWritten(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let written = try #require(Self.written)
        var bytes = written.bytes
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] ^= UInt8.random(in: 1...255, using: &random)
        try Data(bytes).write(to: URL(filePath: path))

        guard let store = try? SQLiteStore(path: path) else { return }
        let answers = Self.answers(of: store)

        for (answer, right) in zip(answers, written.answers) {
            guard let parts = answer.parts, let expected = right.parts else { continue }
            if answer.isList {
                let isPart = parts.allSatisfy { expected.contains($0) }
                #expect(isPart, "byte \(place): \(answer.question)")
            } else {
                // A message may say that it is damaged.
                let isSame =
                    parts.count == expected.count
                    && zip(parts, expected).allSatisfy { $0 == $1 || $0.contains("isDamaged: true") }
                #expect(isSame, "byte \(place): \(answer.question)")
            }
        }
    }
}
