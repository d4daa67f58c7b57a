import CPostgres
import Glibc

/// One connection to the database, closed with this value. Only one thread at a time may use it: its owner.
///
/// Statements are sent together and answered together, in one round trip. Each wait has an end. After that end the
/// connection takes no more statements.
final class Connection {
    /// One statement of a round trip.
    struct Step {
        enum Text {
            case prepared(Query)
            case plain(String)
        }

        let text: Text
        let parameters: [Parameter]

        static func run(_ query: Query, _ parameters: Parameter...) -> Step {
            run(query, parameters)
        }

        static func run(_ query: Query, _ parameters: [Parameter]) -> Step {
            Step(text: .prepared(query), parameters: parameters)
        }

        static func run(_ sql: String, _ parameters: Parameter...) -> Step {
            run(sql, parameters)
        }

        static func run(_ sql: String, _ parameters: [Parameter]) -> Step {
            Step(text: .plain(sql), parameters: parameters)
        }
    }

    /// The database's warnings. A warning after a commit means that the commit may lack something.
    private final class Warnings {
        var last: String?
    }

    private let handle: OpaquePointer
    private let warnings = Warnings()
    private(set) var origin = Origin.unknown
    /// The time at which connecting began.
    let began = ContinuousClock.now

    /// Connects to the first machine that takes writes and has no earlier history than `history` has seen, and prepares
    /// the statements.
    static func open(
        _ address: PostgresAddress, seeing history: History, preparing queries: [Query] = [],
        until end: ContinuousClock.Instant = .now + patience
    ) throws(PostgresFailure) -> Connection {
        var failures: [PostgresFailure] = []
        for (index, host) in address.hosts.enumerated() {
            // A machine that does not answer takes two seconds, and one whose address is not found its share of the time.
            guard failures.isEmpty || .now < end else { break }
            let share = (end - .now) / (address.hosts.count - index)
            do throws(PostgresFailure) {
                let connection = try Connection(address, to: host, within: share, until: end)
                try history.admit(connection.origin)
                try connection.prepare(queries, until: end)
                return connection
            } catch {
                failures.append(error)
            }
        }
        throw PostgresFailure(ofAll: failures)
    }

    /// Connects to one machine.
    ///
    /// - Parameter time: of the whole, the part for the connection itself.
    init(
        _ address: PostgresAddress, to host: PostgresAddress.Host, within time: Duration,
        until end: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        guard let handle = try ConnectionAttempt.connect(address, to: host, within: time) else {
            throw .lost("no memory")
        }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else { throw lost }
        PQsetNoticeReceiver(
            handle,
            { context, result in
                guard let context, let severity = cpostgres_severity(result), strcmp(severity, "WARNING") == 0 else {
                    return
                }
                let text = cpostgres_message(result).map { String(cString: $0) }
                Unmanaged<Warnings>.fromOpaque(context).takeUnretainedValue().last = text ?? "a warning"
            }, Unmanaged.passUnretained(warnings).toOpaque())
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw lost }
        let answers = try run([.run(address.settings), .run(Origin.question)], until: end)
        guard let row = answers[1].rows.first else { throw .senseless(column: "pid", room: nil) }
        origin = try Origin(row, host: host.name)
    }

    private func prepare(_ queries: [Query], until end: ContinuousClock.Instant) throws(PostgresFailure) {
        guard !queries.isEmpty else { return }
        try roundTrip(queries.count, until: end) {
            queries.allSatisfy { PQsendPrepare(handle, $0.name, $0.sql, 0, nil) == 1 }
        }
    }

    deinit {
        PQfinish(handle)
    }

    /// The default time for an answer.
    static let patience = Duration.seconds(10)

    /// Runs the statements in one round trip, and returns an answer for each.
    ///
    /// After a refused statement, the later ones do not run. Without `BEGIN`, all of them are one transaction.
    @discardableResult
    func run(
        _ steps: [Step], until end: ContinuousClock.Instant = .now + patience
    ) throws(PostgresFailure) -> [Answer] {
        try roundTrip(steps.count, until: end) { steps.allSatisfy(send) }
    }

    /// Runs the last round trip of a transaction. When this returns, the transaction is durable, also on a synchronous
    /// standby.
    ///
    /// - Errors: `lost` also when the database warns that a standby may lack the transaction, such as after an operator
    ///   cancelled the wait. The transaction may have been made then.
    @discardableResult
    func runDurably(_ steps: [Step], until end: ContinuousClock.Instant) throws(PostgresFailure) -> [Answer] {
        let answers = try run(steps, until: end)
        if let warning = warnings.last { throw .lost("the commit came with a warning: \(warning)") }
        return answers
    }

    private func send(_ step: Step) -> Bool {
        let count = Int32(step.parameters.count)
        let lengths = step.parameters.map { Int32($0.bytes?.count ?? 0) }
        let formats = step.parameters.map { _ in Int32(1) }
        return withPointers(to: step.parameters) { values in
            switch step.text {
            case .prepared(let query):
                PQsendQueryPrepared(handle, query.name, count, values, lengths, formats, 1) == 1
            case .plain(let sql):
                PQsendQueryParams(handle, sql, count, nil, values, lengths, formats, 1) == 1
            }
        }
    }

    private func withPointers<Result>(
        to parameters: [Parameter], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        var all: [UInt8] = [0]
        let starts = parameters.map { parameter in
            defer { all += parameter.bytes ?? [] }
            return all.count
        }
        return all.withUnsafeBytes { all in
            body(
                zip(parameters, starts).map { parameter, start in
                    guard parameter.bytes != nil else { return nil }
                    return (all.baseAddress! + min(start, all.count - 1)).assumingMemoryBound(to: CChar.self)
                })
        }
    }
}

// MARK: - Round trips

extension Connection {
    @discardableResult
    private func roundTrip(
        _ count: Int, until end: ContinuousClock.Instant, _ send: () -> Bool
    ) throws(PostgresFailure) -> [Answer] {
        warnings.last = nil
        guard send(), PQpipelineSync(handle) == 1 else { throw lost }
        var answers: [Answer] = []
        var refusal: PostgresFailure?
        while true {
            guard let result = try next(until: end, after: refusal) else {
                if PQstatus(handle) != CONNECTION_OK { throw lost(after: refusal) }
                continue  // the end of one statement's answer
            }
            let answer = Answer(result)
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                if let refusal { throw refusal }
                guard answers.count == count else { throw .lost("\(answers.count) answers to \(count) statements") }
                return answers
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: answers.append(answer)
            case PGRES_PIPELINE_ABORTED: break
            default:
                guard let state = cpostgres_state(result) else { throw lost }
                let message = cpostgres_message(result).map { String(cString: $0) } ?? ""
                refusal = refusal ?? PostgresFailure(refused: String(cString: state), message)
            }
        }
    }

    /// Returns the next piece of an answer.
    private func next(
        until end: ContinuousClock.Instant, after refusal: PostgresFailure?
    ) throws(PostgresFailure) -> OpaquePointer? {
        while true {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw lost(after: refusal) }
            if PQisBusy(handle) == 0 { return PQgetResult(handle) }
            guard try wait(for: Int16(POLLIN) | (unsent > 0 ? Int16(POLLOUT) : 0), until: end) else {
                throw .late
            }
            guard PQconsumeInput(handle) == 1 else { throw lost(after: refusal) }
        }
    }

    /// - Returns: true if something happened in time.
    private func wait(for events: Int16, until end: ContinuousClock.Instant) throws(PostgresFailure) -> Bool {
        var socket = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        while true {
            let rest = end - ContinuousClock.now
            guard rest > .zero else { return false }
            let count = poll(&socket, 1, Int32(min(rest / .milliseconds(1) + 1, 60_000)))
            if count > 0 { return true }
            guard count == 0 || errno == EINTR else { throw lost }
        }
    }

    /// A pooler closes the connection behind the refusal that tells why.
    private func lost(after refusal: PostgresFailure?) -> PostgresFailure { refusal == .pooled ? .pooled : lost }

    private var lost: PostgresFailure {
        let text = String(cString: PQerrorMessage(handle))
        return PostgresFailure(lost: text.split(separator: "\n").joined(separator: "; "))
    }
}

// MARK: - Notifications

extension Connection {
    /// Waits for notifications, and returns the payloads of those that have come.
    func notifications(until end: ContinuousClock.Instant) throws(PostgresFailure) -> [String] {
        let known = arrived()
        guard known.isEmpty, try wait(for: Int16(POLLIN), until: end) else { return known }
        guard PQconsumeInput(handle) == 1 else { throw lost }
        return arrived()
    }

    private func arrived() -> [String] {
        var payloads: [String] = []
        while let next = PQnotifies(handle) {
            payloads.append(String(cString: next.pointee.extra))
            PQfreemem(next)
        }
        return payloads
    }
}
