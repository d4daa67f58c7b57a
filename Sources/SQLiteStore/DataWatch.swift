import CSQLite
import Dispatch
import Glibc
import Locking
import RoomStore

/// Watches the place of the data: whether its files are still where they were opened, how long the log is, and how much
/// space its disk has.
///
/// SQLite goes on with a file that was removed or moved, and whatever is committed then is gone with the process. So each
/// write looks before and after, and a timer looks when nothing is written.
final class DataWatch: @unchecked Sendable {
    // @unchecked: a dispatch source may be used on any thread; the rest is constant or a Guarded.

    private let path: String
    private let limits: Limits
    private let notices: StoreNotices
    private let files: [(path: String, identity: FileIdentity?)]
    private let state: Guarded<State>
    private let timer: any DispatchSourceTimer

    struct Limits: Sendable {
        /// The time between two looks, in milliseconds.
        var interval = 300
        /// The size of the log that is reported, in bytes. Without a reader that stays, it is cut to 32 MiB.
        var longLog = 64 << 20
        /// The space that stays free, in bytes, for the log to be copied and for the system.
        var reserve = 64 << 20
        /// The part of the disk that stays free at most: one part in this number.
        var share = 20
    }

    private struct State {
        var trouble: String?
        var use = DiskUse(logBytes: 0, freeBytes: 0)
        /// The size of the log at which it is reported; it doubles with each report.
        var reportedLog: Int
    }

    /// Begins to watch the files that are open now.
    init(_ path: String, _ limits: Limits, _ notices: StoreNotices) {
        (self.path, self.limits, self.notices) = (path, limits, notices)
        files = [path, path + "-wal"].map { ($0, FileIdentity(of: $0)) }
        state = Guarded(State(reportedLog: limits.longLog))
        timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        let interval = DispatchTimeInterval.milliseconds(limits.interval)
        timer.schedule(deadline: .now(), repeating: interval, leeway: .milliseconds(limits.interval / 10))
        timer.setEventHandler { [weak self] in self?.check() }
        timer.activate()
    }

    deinit {
        timer.cancel()
    }

    func end() {
        timer.cancel()
    }

    /// The reason why nothing is written; `nil` if there is none.
    var trouble: String? { state.withLock(\.trouble) }
    var use: DiskUse { state.withLock(\.use) }

    /// - Errors: `unavailable` if a file is not in its place.
    func requirePlace() throws(RoomStoreError) {
        for (path, identity) in files {
            let found = FileIdentity(of: path)
            guard found != identity else { continue }
            let what = found == nil ? "was removed or moved" : "was replaced by another file"
            throw .unavailable(
                "\(path) \(what) while it was served: nothing is written until it is back in its place. Until this process "
                    + "(\(getpid())) ends, /proc/\(getpid())/fd has it still")
        }
    }

    /// - Errors: `full` if the disk is nearly full.
    func requireSpace() throws(RoomStoreError) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return }
        let free = Int(clamping: status.f_bavail) &* Int(clamping: status.f_frsize)
        let size = Int(clamping: status.f_blocks) &* Int(clamping: status.f_frsize)
        state.withLock { $0.use.freeBytes = free }
        guard free < min(limits.reserve, size / limits.share) else { return }
        throw .full(path: path, "only \(free >> 10) KiB of the disk are free")
    }

    private func check() {
        var trouble: String?
        do throws(RoomStoreError) {
            try requirePlace()
            try requireSpace()
        } catch {
            trouble = "\(error)"
        }
        var status = stat()
        let log = stat(path + "-wal", &status) == 0 ? Int(status.st_size) : 0
        let notice = state.withLock { state in
            state.use.logBytes = log
            let before = state.trouble
            state.trouble = trouble
            return [Self.notice(before, trouble, path), logNotice(&state)].compactMap(\.self)
        }
        for text in notice { notices.add(text) }
        if !notice.isEmpty { notices.deliver() }
    }

    private static func notice(_ before: String?, _ now: String?, _ path: String) -> String? {
        switch (before, now) {
        case (nil, let now?): now
        case (_?, nil): "\(path) can be written again"
        case (nil, nil), (_?, _?): nil
        }
    }

    private func logNotice(_ state: inout State) -> String? {
        let log = state.use.logBytes
        if log < limits.longLog { state.reportedLog = limits.longLog }
        guard log >= state.reportedLog else { return nil }
        state.reportedLog = log * 2
        return
            "\(path)-wal has grown to \(log >> 20) MiB, because another program reads the file and keeps the log from "
            + "being copied: find it with fuser \(path), and end it"
    }
}

/// The device and number of a file, which its name may lose.
private struct FileIdentity: Equatable {
    let device: UInt64
    let number: UInt64

    /// `nil` if there is no such file.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}

extension Connection {
    /// Leaves the log in its place when the last connection closes: it may be that of another file by now.
    borrowing func keepLog() {
        var keeps: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
    }
}
