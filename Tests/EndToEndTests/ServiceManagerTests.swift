import Foundation
import Glibc
import TestSupport
import Testing

/// The messages of `diffroomd` to a service manager.
@Suite(.timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about no store"))
struct ServiceManagerTests {
    private let folder = TemporaryFolder()

    /// The socket on which a service manager listens.
    private final class Listener: Sendable {
        private let descriptor: Int32

        init(_ path: String) {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            precondition(bound == 0, "cannot listen at \(path): \(errno)")
        }

        deinit {
            close(descriptor)
        }

        /// The next message; empty when none comes within the deadline.
        func next() -> String {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Int32(1_000 * Deadline.eventSeconds)) == 1 else { return "" }
            var bytes = [UInt8](repeating: 0, count: 1_024)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }

        /// The next message that begins with `text`.
        func next(_ text: String) -> String {
            while true {
                let message = next()
                if message.isEmpty || message.hasPrefix(text) { return message }
            }
        }
    }

    @Test
    func itHearsOfReadinessLifeReloadAndEnd() async throws {
        let path = folder.file("notify")
        let listener = Listener(path)
        let program = try RunningProgram(
            "diffroomd", ["--listen", "127.0.0.1:0", "--data", folder.file("rooms.db")],
            environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "3000000"])

        #expect(listener.next() == "READY=1")
        #expect(listener.next() == "WATCHDOG=1")
        program.kill(SIGHUP)
        #expect(listener.next("RELOADING=1").contains("MONOTONIC_USEC="))
        #expect(listener.next("READY=1") == "READY=1")
        program.kill(SIGTERM)
        #expect(listener.next("STOPPING=1") == "STOPPING=1")
        #expect(await program.end() == .exit(0))
    }

    @Test
    func aWatchThatIsAnotherProcessesIsNotKept() async throws {
        let path = folder.file("notify")
        let listener = Listener(path)
        let program = try RunningProgram(
            "diffroomd", ["--listen", "127.0.0.1:0", "--data", folder.file("rooms.db")],
            environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"])

        #expect(listener.next() == "READY=1")
        #expect(await program.line(containing: "listening on") != nil)
        program.kill(SIGTERM)
        #expect(listener.next() == "STOPPING=1")
        #expect(await program.end() == .exit(0))
    }
}
