import Foundation
import Glibc

/// A PostgreSQL server for the tests only. Its data is in a folder that is removed however the tests end, and it
/// listens on a socket in that folder only.
///
/// It runs as the user `postgres` when the tests run as root, which PostgreSQL refuses.
package final class ThrowawayPostgres: Sendable {
    /// One server for all harmless tests of a process. It need not survive a power cut.
    package static let shared = Result { try ThrowawayPostgres() }

    /// It could not be started, with its output.
    package struct Failed: Error {
        package let command: String
        package let says: String
    }

    package let folder: String
    private let keeper: ChildProcess
    /// Closed when the tests end, however they do: then the keeper stops the server and removes the folder.
    private let life: FileHandle
    private let settings: [String]

    package enum Checksums { case on, off }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - primary: the server to follow as its standby, or `nil`.
    ///   - settings: such as `fsync=on`; by default commits do not wait for a disk.
    ///   - checksums: whether its pages have checksums, unless it follows a primary.
    package init(
        following primary: ThrowawayPostgres? = nil, settings: [String] = ["fsync=off"], checksums: Checksums = .off
    ) throws {
        let memory = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
        folder = "\(memory)/diffroom-\(UUID().uuidString.prefix(13))"
        self.settings = settings
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let pipe = try ChildPipe()
        let end = Self.asUser("pg_ctl", ["-D", "\(folder)/data", "-m", "immediate", "stop"])
        keeper = try ChildProcess(
            "/bin/sh", ["-c", "read -r never; folder=$1; shift; \"$@\"; rm -rf \"$folder\"", "keeper", folder] + end,
            input: pipe.reading.fileDescriptor)
        life = pipe.writing
        try pipe.reading.close()
        if getuid() == 0, let user = getpwnam("postgres") { chown(folder, user.pointee.pw_uid, user.pointee.pw_gid) }
        if let primary {
            let source = "host=\(primary.folder) user=diffroom application_name=standby"
            try run("pg_basebackup", ["-c", "fast", "-D", "\(folder)/data", "-R", "-X", "stream", "-d", source])
        } else {
            let options = ["-A", "trust", "-U", "diffroom", "-N", "-E", "UTF8", "--locale=C"]
            try run("initdb", ["-D", "\(folder)/data"] + options + (checksums == .on ? ["--data-checksums"] : []))
        }
        try start()
    }

    deinit {
        try? life.close()
        keeper.wait()
    }

    /// A URL for `--store`; several servers are tried in order.
    package static func address(_ servers: ThrowawayPostgres...) -> String {
        "postgres:///postgres?user=diffroom&host=" + servers.map(\.folder).joined(separator: ",")
    }

    package var address: String { Self.address(self) }

    /// A URL for `--store` with a database that stands for the file at `path`, the same each time.
    package func address(for path: String) throws -> String {
        let name = "d" + path.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }.description
        if try query("SELECT 1 FROM pg_database WHERE datname = '\(name)'").isEmpty {
            try query("CREATE DATABASE \(name)")
        }
        return "postgres:///\(name)?user=diffroom&host=\(folder)"
    }

    package func start() throws {
        let all = ["listen_addresses=", "unix_socket_directories=\(folder)", "max_connections=1000"]
        let files = ["dynamic_shared_memory_type=mmap"]  // nothing outside the folder
        let options = (all + files + settings).map { "-c \($0)" }.joined(separator: " ")
        try run("pg_ctl", ["-D", "\(folder)/data", "-w", "-l", "\(folder)/log", "-o", options, "start"])
    }

    /// Stops the server as a power cut would.
    package func kill() throws {
        try run("pg_ctl", ["-D", "\(folder)/data", "-m", "immediate", "-w", "stop"])
    }

    /// Stops the server in order, with everything in its files.
    package func stop() throws {
        try run("pg_ctl", ["-D", "\(folder)/data", "-m", "fast", "-w", "stop"])
    }

    /// Crashes the server, which recovers at once.
    package func restart() throws {
        try run("pg_ctl", ["-D", "\(folder)/data", "-m", "immediate", "-w", "stop"])
        try start()
    }

    /// Keeps a copy of its files; it must be stopped.
    package func copyData(to name: String) throws {
        try run("cp", ["-a", "\(folder)/data", "\(folder)/\(name)"], from: "/bin")
    }

    /// Restores the kept files; it must be stopped.
    package func takeData(from name: String) throws {
        try FileManager.default.removeItem(atPath: "\(folder)/data")
        try run("mv", ["\(folder)/\(name)", "\(folder)/data"], from: "/bin")
    }

    /// Freezes the server, as a hanging machine does: nobody is told.
    package func freeze() throws {
        try signal(SIGSTOP)
    }

    /// Lets the server go on.
    package func thaw() throws {
        try signal(SIGCONT)
    }

    /// Sends a signal to the server and all its processes; the first one creates no more of them once it has it.
    private func signal(_ signal: Int32) throws {
        let file = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        guard let first = file.split(separator: "\n").first.flatMap({ pid_t($0) }) else { return }
        Glibc.kill(first, signal)
        let children = try String(contentsOfFile: "/proc/\(first)/task/\(first)/children", encoding: .utf8)
        for child in children.split(separator: " ").compactMap({ pid_t($0) }) { Glibc.kill(child, signal) }
    }

    /// Makes a standby the primary.
    package func promote() throws {
        try run("pg_ctl", ["-D", "\(folder)/data", "-w", "promote"])
    }

    /// Returns the result of a statement, a line for each row.
    @discardableResult
    package func query(_ sql: String) throws -> String {
        try run("psql", ["-h", folder, "-U", "diffroom", "-d", "postgres", "-X", "-q", "-A", "-t", "-c", sql])
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String], from place: String = programs) throws -> String {
        let output = "\(folder)/output-\(UUID())"
        let file = open(output, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        defer {
            close(file)
            unlink(output)
        }
        let words = Self.asUser(program, arguments, from: place)
        let ending = try ChildProcess(words[0], Array(words.dropFirst()), output: file, complaints: file).wait()
        // Foundation leaks a page for each empty file that it reads.
        let isSilent = lseek(file, 0, SEEK_END) == 0
        let says = isSilent ? "" : try String(contentsOfFile: output, encoding: .utf8)
        guard ending == .exit(0) else {
            let log = (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? ""
            throw Failed(command: words.joined(separator: " "), says: says + log.suffix(1_000))
        }
        return says
    }

    private static func asUser(
        _ program: String, _ arguments: [String], from place: String = programs
    ) -> [String] {
        let user = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        return (getuid() == 0 ? user : ["/usr/bin/env"]) + ["\(place)/\(program)"] + arguments
    }

    /// Debian keeps each version's programs in a folder of their own.
    private static let programs: String = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return "/usr/lib/postgresql/\(versions.compactMap(Int.init).max() ?? 15)/bin"
    }()
}
