import ChatClient
import ChatWire
import Dispatch
import Foundation
import Publishing

/// Sends all of standard input as one message, which grows while it is read.
final class StreamChat: @unchecked Sendable {
    // @unchecked: the mutable state is set before `send` begins, and `patience` is used on `queue` only.
    private let output: Output
    private let client: ChatClient
    private let room: ClientRoom
    private let queue = DispatchQueue(label: "diffroom.stream")
    private let patience: Patience
    private var subscription: Subscription?
    private var interrupts: [any DispatchSourceSignal] = []
    /// The bytes of the input. They end with it, or at a signal.
    private let pieces: AsyncStream<[UInt8]>
    private let input: AsyncStream<[UInt8]>.Continuation
    /// One permit for each piece that may wait to be sent.
    private let permits = DispatchSemaphore(value: 16)

    /// The end of the input.
    private enum End {
        case complete
        case interrupted
        case notUTF8

        /// The state of the message afterwards; `nil` for one that is complete.
        var ending: Growth.Ending? {
            switch self {
            case .complete: nil
            case .interrupted: .stopped
            case .notUTF8: .failed
            }
        }
    }

    init(_ options: Options, output: Output) throws(ChatClientError) {
        self.output = output
        client = try options.credentials.client(of: options.url, as: options.user, authorities: options.authorities)
        room = client.room(options.room)
        (pieces, input) = AsyncStream.makeStream()
        patience = Patience(options.patience, on: queue) { seconds in
            output.report("no connection for \(seconds) s: giving up; the message stays as far as it was sent")
            output.end(.failed)
        }
    }

    /// Sends the input until its end, and then ends the program.
    func run() -> Never {
        subscription = client.connection.receive(on: queue, policy: .wait(beyond: 16)).sink {
            self.patience.handle($0, self.output)
        }
        queue.async { self.patience.start() }
        interrupts = [SIGINT, SIGTERM].map(interruption)
        Task { await self.send() }
        while true {
            permits.wait()
            let bytes = readInput()
            input.yield(bytes)
            if bytes.isEmpty { dispatchMain() }
        }
    }

    /// Ends the message at a signal.
    private func interruption(_ number: Int32) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { [input] in input.finish() }
        source.resume()
        return source
    }

    private func send() async {
        do {
            let (message, end) = try await sendPieces()
            if end == .notUTF8 {
                output.report("the input is not UTF-8: convert it before, as with iconv -f latin1 -t utf-8")
            }
            try await message?.close(end.ending)
            output.end(end == .complete ? .done : .failed)
        } catch {
            let refusal = error as? WireError
            output.report(
                refusal?.reason == .notOpen ? "a reader has stopped the message" : refusal?.message ?? "\(error)")
            output.end(.failed)
        }
    }

    /// Sends pieces until the input ends. The first one begins the message; without any there is none.
    private func sendPieces() async throws -> (GrowingMessage?, End) {
        var decoder = InputPieces()
        var message: GrowingMessage?
        for await bytes in pieces {
            guard !bytes.isEmpty else { return (message, decoder.isCut ? .notUTF8 : .complete) }
            guard let text = decoder.text(after: bytes) else { return (message, .notUTF8) }
            if message == nil { message = try await room.write("") }
            try await message?.append(text)
            permits.signal()
        }
        return (message, .interrupted)
    }
}
