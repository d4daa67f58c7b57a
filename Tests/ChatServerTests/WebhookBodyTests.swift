import ChatRoom
import ChatWire
import RoomStore
import Testing

@testable import ChatServer

struct WebhookBodyTests {
    @Test func joinsAndLeavesAreOfTheirAuthors() {
        let operations = [RoomAction.join, .leave].enumerated().map { number, action in
            CommittedOperation(
                revision: Revision(number + 1),
                operation: Operation(
                    command: CommandID(high: 0, low: UInt64(number)), author: UserName("ann")!, role: .read, time: 5,
                    action: action))
        }

        let body = WebhookBody(operations, of: RoomName("lobby")!, Epoch("e")!)

        #expect(
            String(decoding: body.bytes, as: UTF8.self)
                == #"{"type":"operations","room":"lobby","epoch":"e","operations":["#
                + #"{"revision":1,"time":5,"author":"ann","type":"joined"},"#
                + #"{"revision":2,"time":5,"author":"ann","type":"left"}]}"#)
    }
}
