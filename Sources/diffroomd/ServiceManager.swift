import ChatServer
import Dispatch
import Foundation

/// Reports the program's state to the service manager that started it, if there is one.
///
/// - Source: sd_notify(3), systemd 252: a datagram of assignments to the socket that the environment names.
struct ServiceManager: Sendable {
    private let address: String?
    /// The time within which the service manager expects a sign of life; `nil` if it expects none.
    let patience: Duration?

    init(environment: [String: String]) {
        address = environment["NOTIFY_SOCKET"]
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        patience = isMeant ? environment["WATCHDOG_USEC"].flatMap { Int($0) }.map { .microseconds($0) } : nil
    }

    func notify(_ assignments: String...) {
        guard let address, var target = Self.socketAddress(address) else { return }
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        let text = Array(assignments.joined(separator: "\n").utf8)
        let size = socklen_t(MemoryLayout<sa_family_t>.size + address.utf8.count)
        unsafe withUnsafePointer(to: &target) { target in
            unsafe target.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe sendto(socket, text, text.count, Int32(MSG_NOSIGNAL), $0, size)
            }
        }
    }

    /// Sends signs of life as long as every event loop turns.
    func watch(_ server: ChatServer) {
        guard let patience else { return }
        let nanoseconds = Int(patience / .nanoseconds(1)) / 3
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
            if server.turns(within: patience / 2) { notify("WATCHDOG=1") }
            watch(server)
        }
    }

    /// Reports the begin and the end of a reload.
    func reloading(_ reload: () -> Void) {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        notify("RELOADING=1", "MONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)")
        reload()
        notify("READY=1")
    }

    /// Returns the socket's address: a path, or with `@` a name in the abstract namespace.
    private static func socketAddress(_ name: String) -> sockaddr_un? {
        var address = sockaddr_un()
        let bytes = Array(name.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
            unsafe path.copyBytes(from: bytes)
            if bytes.first == UInt8(ascii: "@") { unsafe path[0] = 0 }
        }
        return address
    }
}
