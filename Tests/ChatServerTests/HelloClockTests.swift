import ChatWire
import Testing
import WebSocketTransport

@testable import ChatServer

struct HelloClockTests {
    private let start = ContinuousClock.now
    private let sessions = Sessions(loops: 1, helloTime: .seconds(5), quotas: Quotas())
    private let connection = ConnectionID(1)

    /// Looks at the time every quarter of a second.
    ///
    /// - Returns: the first time, in seconds, at which the connection is overdue; `nil` if it is not by the last one.
    private func looks(from first: Double, to last: Double, silence: Duration = .zero) -> Double? {
        stride(from: first, through: last, by: 0.25).first {
            sessions.overdue(at: start + .seconds($0), silence: silence) == [connection]
        }
    }

    private func open() {
        sessions.opened(connection, Arrival(address: "127.0.0.1", time: 0), authorization: nil, at: start)
    }

    @Test func whoSaysNoHelloIsOverdueInTime() {
        open()

        #expect(looks(from: 0, to: 9) == 5)
    }

    /// Its hello may be in the socket.
    @Test func aPauseOfTheProcessIsNotItsSilence() {
        open()

        #expect(looks(from: 0, to: 3) == nil)
        #expect(looks(from: 100, to: 109) == 101)
    }

    @Test func norIsAPauseOfAnEventLoop() {
        open()

        #expect(looks(from: 0, to: 3) == nil)
        #expect(looks(from: 3, to: 50, silence: .seconds(2)) == nil)
        #expect(looks(from: 50, to: 59) == 52)
    }
}
