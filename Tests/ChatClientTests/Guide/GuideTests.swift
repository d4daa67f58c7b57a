import ChatClient
import Dispatch
import Locking
import TestSupport
import Testing

/// The code of the guide, run with a server. What it prints is compared.
@Suite(.timeLimit(.minutes(Deadline.minutes))) struct GuideTests {
    private let server: TestServer
    private let url: String

    init() throws {
        server = try TestServer()
        url = "ws://127.0.0.1:\(server.port)"
    }

    @Test func yourFirstClient() async throws {
        let printed = Printed()
        let print: @Sendable (String) -> Void = { printed.append($0) }
        let unknown = MessageID.random()

        let client = try ChatClient(url: url, user: UserName("ann")!)
        let lobby = client.room(RoomName("lobby")!)

        let hello = try await lobby.send("hello")
        try await lobby.react(to: hello, with: "👋")

        do {
            try await lobby.delete(unknown)
        } catch let error as WireError {
            print(error.message)
        }

        let following = Task {
            for await change in lobby.changes {
                for id in change.changes.inserted {
                    if let message = change.view[id] { print("\(message.author): \(message.text)") }
                }
            }
        }
        await printed.reach { $0.count == 2 }
        try await lobby.send("again")
        await printed.reach { $0.count == 3 }
        following.cancel()
        await following.value
        client.close()

        #expect(printed.lines[0].contains("\(unknown)"))
        #expect(printed.lines[1...] == ["ann: hello", "ann: again"])
    }

    @Test @MainActor func drivingAList() async throws {
        let client = try ChatClient(url: url, user: UserName("ann")!)
        let lobby = client.room(RoomName("lobby")!)
        let drawn = Printed()
        let screen = RoomScreen { drawn.append($0.joined().joined(separator: " | ")) }
        let first = try await lobby.send("one")
        let following = Task { await screen.follow(lobby) }
        await drawn.reach { $0.last == "ann: one" }

        try await lobby.send("two")
        try await lobby.edit(first, ContentEdit("one, edited"))

        await drawn.reach { $0.last == "ann: one, edited | ann: two" }
        following.cancel()
        await following.value
        client.close()
    }

    @Test func offline() async throws {
        let printed = Printed()
        let print: @Sendable (Any) -> Void = { printed.append("\($0)") }
        var pending: [CommandID: Command] = [:]
        let client = try ChatClient(url: url, user: UserName("ann")!)
        let lobby = client.room(RoomName("lobby")!)
        let following = Task {
            for await state in client.connection.receive(on: .main, policy: .keepLatest).values {
                switch state {
                case .online: print("connected")
                case .waiting(let pause, let loss): print("\(loss); again in \(pause) ms")
                case .offline, .connecting, .ended: break
                }
            }
        }

        func sendDraft() async throws -> Command {
            let draft = Command(id: .random(), room: lobby.name, action: .send(MessageContent("see you there")))
            pending[draft.id] = draft
            defer { pending[draft.id] = nil }
            try await client.send(draft)
            return draft
        }
        let draft = try await sendDraft()
        let first = try await client.send(draft)
        let again = try await client.send(draft)
        print(first == again)

        await printed.reach { $0.count == 2 }
        following.cancel()
        await following.value
        client.close()
        #expect(pending.isEmpty)
        #expect(Set(printed.lines) == ["connected", "true"])
    }
}

/// The lines that the guide's code has printed.
private final class Printed: Sendable {
    private struct Waiting {
        let isReached: @Sendable ([String]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private let state = Guarded<(lines: [String], waiting: [Waiting])>(([], []))

    var lines: [String] { state.withLock { $0.lines } }

    func append(_ line: String) {
        let reached = state.withLock { state in
            state.lines.append(line)
            let reached = state.waiting.filter { $0.isReached(state.lines) }
            state.waiting.removeAll { $0.isReached(state.lines) }
            return reached
        }
        for waiting in reached { waiting.continuation.resume() }
    }

    func reach(_ isReached: @escaping @Sendable ([String]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                let isThere = isReached(state.lines)
                if !isThere { state.waiting.append(Waiting(isReached: isReached, continuation: continuation)) }
                return isThere
            }
            if isThere { continuation.resume() }
        }
    }
}
