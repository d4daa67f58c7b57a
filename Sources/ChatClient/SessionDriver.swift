import ChatWire
import Dispatch
import Publishing
import WebSocketTransport

/// Runs a session: gives it a socket, a clock and a queue.
package final class SessionDriver: @unchecked Sendable {
    // @unchecked: all mutable state is touched on `queue` only, and `perform` and `handle` check that.
    let didChange = Publisher<RoomChange>()
    let membersDidChange = Publisher<MembersChange>()
    let pinsDidChange = Publisher<PinsChange>()
    let roomsDidChange = Publisher<RoomsChange>()
    let threadsDidChange = Publisher<ThreadsChange>()
    let mentionsDidChange = Publisher<MentionsChange>()
    let peopleDidChange = Publisher<PeopleChange>()
    let draftsDidChange = Publisher<DraftsChange>()
    let laterDidChange = Publisher<LaterItemsChange>()
    let blockedDidChange = Publisher<BlockedChange>()
    let connection = Publisher<ConnectionState>()
    let answers = Publisher<ChatClient.Answer>()
    let notices = Publisher<SessionNotice>()

    private let queue = DispatchQueue(label: "diffroom.client")
    private let url: WebSocketURL
    private let tokens: ChatClient.TokenProvider?
    private let timer: any DispatchSourceTimer
    private var transport: WebSocketClient?
    private var session: ClientSession
    /// The state that was last published; `nil` before the session has begun.
    private var state: ConnectionState?
    /// The connection that the session uses.
    private var current: ConnectionID?
    /// Connections that this side has closed and that have not ended yet.
    private var closing: Set<ConnectionID> = []
    private let allClosed = DispatchGroup()
    private var timerDeadline: Milliseconds?
    /// The number of frames for which there is room before the session takes one.
    private let room = DispatchSemaphore(value: 0)

    /// The most frames that wait for the session. While it waits for a view, the others stay where they are: in the
    /// sockets, and then at the server, which has one diff for them in the end.
    private static let most = 64

    /// - Parameter tokens: the source of tokens if there is no credential.
    init(
        url: String, credential: ClientFrame.Credential?, tokens: ChatClient.TokenProvider? = nil, authorities: String?
    ) throws(ChatClientError) {
        self.tokens = tokens
        for _ in 0..<Self.most { room.signal() }
        do throws(WebSocketURL.ParseError) { self.url = try WebSocketURL(url) } catch { throw .badURL("\(error)") }
        session = ClientSession(credential: credential, backoff: Backoff(seed: .random(in: 0 ... .max)))
        timer = DispatchSource.makeTimerSource(queue: queue)
        do throws(TransportError) {
            var configuration = WebSocketClient.Configuration()
            configuration.authorities = authorities
            transport = try WebSocketClient(configuration: configuration) { [weak self] event in self?.enqueue(event) }
        } catch {
            timer.activate()
            throw .cannotStart("\(error)")
        }
        timer.setEventHandler { [weak self] in self?.tick() }
        timer.activate()
        welcomeSubscribers()
    }

    deinit {
        timer.cancel()
        for _ in closing { allClosed.leave() }  // a group must not be freed while a thread waits for it
    }

    func enqueue(_ inputs: [SessionInput]) {
        queue.async { inputs.forEach(self.handle) }
    }

    func close() {
        queue.sync { handle(.stop) }
        _ = allClosed.wait(timeout: .now() + .seconds(2))
    }

    private func enqueue(_ event: WebSocketClient.Event) {
        guard case .received = event else { return queue.async { self.handle(event) } }
        room.wait()
        queue.async {
            self.handle(event)
            self.room.signal()
        }
    }

    private func handle(_ event: WebSocketClient.Event) {
        switch event {
        case .opened(let id): if id == current { handle(.connected) }
        case .received(let id, let bytes):
            guard id == current else { return }
            do throws(FrameError) { handle(.received(try ServerFrame(json: bytes))) } catch {
                handle(.unreadable(error))
            }
        case .closed(let id, let code, let reason): ended(id, .closed(code: code, reason: reason))
        case .failed(let id, let why): ended(id, .failed(why))
        }
    }

    private func ended(_ id: ConnectionID, _ loss: ConnectionLoss) {
        if closing.remove(id) != nil { allClosed.leave() }
        guard id == current else { return }
        current = nil
        handle(.disconnected(loss))
    }

    private func tick() {
        timerDeadline = nil
        handle(.tick)
    }

    private func handle(_ input: SessionInput) {
        dispatchPrecondition(condition: .onQueue(queue))
        for effect in session.handle(input, at: Self.now) { perform(effect) }
        setTimer()
    }

    private func perform(_ effect: SessionEffect) {
        switch effect {
        case .connect: current = transport?.connect(to: url)
        case .wantToken: findToken()
        case .send(let frame): if let current { transport?.send(frame.json, on: current) }
        case .disconnect(let code, let reason): disconnect(code, reason)
        case .state(let state):
            self.state = state
            connection.send(state)
        case .changed(let change): publish(change)
        case .answered(let command, let outcome): answers.send(ChatClient.Answer(command: command, outcome: outcome))
        case .notice(let notice): notices.send(notice)
        }
    }

    /// Sends each new subscriber the current state, so that a later screen shows it at once.
    private func welcomeSubscribers() {
        begin(RoomChange.self)
        begin(MembersChange.self)
        begin(PinsChange.self)
        begin(RoomsChange.self)
        begin(ThreadsChange.self)
        begin(MentionsChange.self)
        begin(PeopleChange.self)
        begin(DraftsChange.self)
        begin(LaterItemsChange.self)
        begin(BlockedChange.self)
        begin(notices) { $0.standings }
        connection.begin(on: queue) { [weak self] in self?.state.map { [$0] } ?? [] }
    }

    private func publish(_ change: some ListChange) { self[keyPath: type(of: change).publisher].send(change) }

    private func begin<Change: ListChange>(_: Change.Type) {
        begin(self[keyPath: Change.publisher]) { $0.present(Change.self) }
    }

    private func begin<Output: Sendable>(
        _ publisher: Publisher<Output>, with values: @escaping @Sendable (inout ClientSession) -> [Output]
    ) {
        publisher.begin(on: queue) { [weak self] in self.map { values(&$0.session) } ?? [] }
    }

    private func findToken() {
        guard let tokens else { preconditionFailure("no credential and no source of tokens") }
        let connection = current
        Task { [weak self] in
            let found: Result<String, TokenUnavailable>
            do {
                found = .success(try await tokens())
            } catch {
                found = .failure(TokenUnavailable("\(error)"))
            }
            self?.queue.async { [weak self] in
                if let self, self.current == connection { self.handle(.token(found)) }
            }
        }
    }

    private func disconnect(_ code: UInt16, _ reason: String) {
        guard let id = current else { return }
        current = nil
        closing.insert(id)
        allClosed.enter()
        transport?.close(id, code: code, reason: reason)
    }

    private func setTimer() {
        guard session.deadline != timerDeadline else { return }
        timerDeadline = session.deadline
        guard let deadline = timerDeadline else { return timer.schedule(deadline: .distantFuture) }
        let wait = max(0, deadline - Self.now)
        timer.schedule(deadline: .now() + .milliseconds(Int(wait)), leeway: .milliseconds(5))
    }

    /// The time in milliseconds of a clock that does not go back.
    private static var now: Milliseconds {
        Milliseconds(DispatchTime.now().uptimeNanoseconds / 1_000_000)
    }
}
