import TestSupport
import Testing
import WebSocketTransport

@Suite(.timeLimit(.minutes(Deadline.minutes)))
struct RoundTripTests {
    @Test
    func aMessageTravelsThereAndBack() throws {
        let server = try TestServer()
        let client = try TestClient()
        let (here, there) = try client.open(server)

        client.client.send(Array("ahoy, ⚓".utf8), on: here)
        let heard = try server.received(on: there)
        server.server.send(Frame(text: heard), to: there)

        #expect(try client.received(on: here) == Array("ahoy, ⚓".utf8))
    }

    @Test(arguments: [0, 1, 125, 126, 127, 1023, 1024, 1025, 4096, 65_535, 65_536])
    func aMessageOfAnySizeArrivesWhole(size: Int) throws {
        let server = try TestServer()
        let client = try TestClient()
        let (here, there) = try client.open(server)
        let message = (0..<size).map { UInt8(ascii: "a") + UInt8($0 % 26) }

        client.client.send(message, on: here)
        let heard = try server.received(on: there)
        server.server.send(Frame(text: heard), to: there)

        #expect(heard == message)
        #expect(try client.received(on: here) == message)
    }

    @Test
    func bothSidesLearnHowTheOtherClosed() throws {
        let server = try TestServer()
        let client = try TestClient()
        let first = try client.open(server)
        let second = try client.open(server)

        client.client.close(first.here, code: 4321, reason: "off")
        server.server.close(second.there, code: 4499, reason: "tschüß")

        #expect(try server.closed(first.there) == 4321)
        #expect(try client.closed(first.here) == (4321, "off"))
        #expect(try client.closed(second.here) == (4499, "tschüß"))
        #expect(try server.closed(second.there) == 4499)
    }
}
