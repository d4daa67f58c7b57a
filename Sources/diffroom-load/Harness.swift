import ChatWire
import Dispatch
import Foundation
import Locking
import WebSocketTransport

/// Runs a load: gives it sockets and a clock, and waits until it is over.
final class Harness: Sendable {
    private let load: Guarded<Load>
    private let options: Options
    private let transport: Guarded<WebSocketClient?> = Guarded(nil)

    init(_ options: Options, part: Load.Part) {
        self.options = options
        load = Guarded(Load(options, part: part, now: Self.now))
    }

    /// - Parameter progress: called about once a second with a line on the state of the load.
    /// - Returns: the report.
    /// - Throws: ``TransportError`` if the transport cannot be started.
    func run(progress: (String) -> Void) throws(TransportError) -> Report {
        let serverAtRest = options.pid.flatMap(ProcessFigures.init)
        var configuration = WebSocketClient.Configuration()
        configuration.authorities = options.authorities
        let transport = try WebSocketClient(configuration: configuration) { [weak self] event in
            self?.load.withLock { $0.handle(event, at: Self.now) }
        }
        load.withLock { $0.transport = transport }
        var serverAtStart: ProcessFigures?
        var serverAtEnd: ProcessFigures?
        var memory: Int?
        tick(progress) { before, after in
            switch (before, after) {
            case (.joining, .running):
                serverAtStart = options.pid.flatMap(ProcessFigures.init)
                memory = serverAtStart?.memory
            case (.running, .settling): serverAtEnd = options.pid.flatMap(ProcessFigures.init)
            default: break
            }
        }
        var report = load.withLock { load in
            load.transport = nil
            return load.report
        }
        transport.stop()
        if let serverAtRest, let serverAtStart { report.serverJoinCPU = serverAtStart.cpu - serverAtRest.cpu }
        if let serverAtStart, let serverAtEnd {
            report.serverCPU = serverAtEnd.cpu - serverAtStart.cpu
            report.serverMemory = serverAtEnd.memory
        }
        // A server that had as many connections before need not grow, and then this figure would mean nothing.
        if let memory, let serverAtRest, memory > serverAtRest.memory {
            report.memoryPerConnection = (memory - serverAtRest.memory) / max(1, report.connections)
        }
        report.ownCPU = ProcessFigures(pid: getpid())?.cpu ?? 0
        return report
    }

    /// Passes the time to the load every 2 ms until it is over.
    private func tick(_ progress: (String) -> Void, entered: (Load.Phase, Load.Phase) -> Void) {
        let timer = DispatchSource.makeTimerSource()
        let due = DispatchSemaphore(value: 0)
        timer.schedule(deadline: .now(), repeating: .milliseconds(2))
        timer.setEventHandler { due.signal() }
        timer.activate()
        defer { timer.cancel() }
        var lastLine: Int64 = 0
        while true {
            due.wait()
            let now = Self.now
            let (before, after, line) = load.withLock { load in
                let before = load.phase
                load.tick(at: now)
                return (before, load.phase, now - lastLine > 1_000_000 ? load.progress : nil)
            }
            if before != after { entered(before, after) }
            if let line {
                lastLine = now
                progress(line)
            }
            if after == .over { return }
        }
    }

    /// The time in microseconds of a clock that does not go back.
    static var now: Int64 {
        Int64(DispatchTime.now().uptimeNanoseconds / 1_000)
    }
}

extension Load {
    /// A line on the state of the load.
    var progress: String {
        switch phase {
        case .joining: "joining: \(nextToConnect - connecting) of \(clients.count)"
        case .running(let since):
            "running: \((now - since) / 1_000_000) of \(options.duration) s, \(report.acknowledged) acknowledged, "
                + "\(report.deliveries) deliveries, send to seen p99 \(milliseconds(report.sendToSeen.percentile(0.99)))"
        case .settling: "settling: \(unanswered.count) without an answer"
        case .over: "over"
        }
    }
}

/// Formats a duration for people.
func milliseconds(_ microseconds: Int64) -> String {
    let tenths = (microseconds + 50) / 100
    return tenths >= 1_000 ? "\(tenths / 10) ms" : "\(tenths / 10).\(tenths % 10) ms"
}
