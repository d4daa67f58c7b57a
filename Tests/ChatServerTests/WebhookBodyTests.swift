import ChatRoom
import ChatWire
import RoomStore
import Testing

@testable import ChatServer

struct WebhookBodyTests {
    @Test func theFirstOperationOfAPrivateRoomSaysForWhomItIs() throws {
        let command = CommandID(high: 0, low: 7)
        let operation = Operation(
            command: command, author: UserName("ann")!, role: .write, time: 5,
            action: .create(.private(people: [UserName("bob")!], title: RoomTitle("Plans"))))
        let room = RoomName(privateRoomOf: command)

        let body = WebhookBody([CommittedOperation(revision: 1, operation: operation)], of: room, Epoch("e")!)

        #expect(
            String(decoding: body.bytes, as: UTF8.self)
                == #"{"type":"operations","room":"\#(room)","epoch":"e","operations":["#
                + #"{"revision":1,"time":5,"author":"ann","type":"created","command":"\#(command)","#
                + #""kind":"private","people":["bob"],"title":"Plans"}]}"#)
        // An open room may have a name that differs in its first character only.
        let open = WebhookBody(
            [CommittedOperation(revision: 1, operation: operation)], of: RoomName(".\(command)")!, Epoch("e")!)
        #expect(open.id != body.id && !open.id.contains("."))
    }

    @Test func whatMembersSetForThemselvesIsLeftOut() {
        let operations = committed([
            .settings(SettingsChange(isMuted: true)), .join, .settings(SettingsChange(isMuted: false)),
        ])

        let body = WebhookBody(operations, of: RoomName("lobby")!, Epoch("e")!)

        #expect((body.count, body.revision) == (1, 3))
        #expect(String(decoding: body.bytes, as: UTF8.self).contains(#""operations":[{"revision":2,"#))
        #expect(WebhookBody([operations[0]], of: RoomName("lobby")!, Epoch("e")!).count == 0)
    }

    @Test func joinsAndLeavesAreOfTheirAuthors() {
        let operations = committed([.join, .leave])

        let body = WebhookBody(operations, of: RoomName("lobby")!, Epoch("e")!)

        #expect(
            String(decoding: body.bytes, as: UTF8.self)
                == #"{"type":"operations","room":"lobby","epoch":"e","operations":["#
                + #"{"revision":1,"time":5,"author":"ann","type":"joined"},"#
                + #"{"revision":2,"time":5,"author":"ann","type":"left"}]}"#)
    }

    @Test func aJoinOrLeaveThatChangesNothingIsLeftOut() {
        var operations = committed([.join, .join, .leave, .leave])
        operations[1].changesNothing = true
        operations[3].changesNothing = true

        let body = WebhookBody(operations, of: RoomName("lobby")!, Epoch("e")!)

        #expect((body.count, body.revision) == (2, 4))
        let text = String(decoding: body.bytes, as: UTF8.self)
        #expect(text.contains(#""revision":1,"#) && text.contains(#""revision":3,"#))
    }

    /// A member's operations, from the first revision on.
    private func committed(_ actions: [RoomAction]) -> [CommittedOperation] {
        actions.enumerated().map { number, action in
            CommittedOperation(
                revision: Revision(number + 1),
                operation: Operation(
                    command: CommandID(high: 0, low: UInt64(number)), author: UserName("ann")!, role: .read, time: 5,
                    action: action))
        }
    }
}
