import ChatRoom
import ChatWire
import Glibc
import Locking
import RoomStore
import SQLiteStore

/// A way to make a disk full, and empty again.
protocol Scarcity {
    func begin() throws
    func end() throws
}

/// A limit on the size of this process's files.
struct LimitedFileSize: Scarcity {
    var bytes: rlim_t = 200_000

    func begin() {
        signal(SIGXFSZ, SIG_IGN)
        set(bytes)
    }

    func end() {
        set(rlim_t.max)
    }

    private func set(_ limit: rlim_t) {
        var limits = rlimit(rlim_cur: limit, rlim_max: rlim_t.max)
        precondition(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits) == 0, "errno \(errno)")
    }
}

/// A file that takes the rest of the disk.
struct FilledDisk: Scarcity {
    let path: String

    init(beside data: String) {
        path = data + ".filler"
    }

    func begin() {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let block = [UInt8](repeating: 0, count: 4_096)
        while write(file, block, block.count) > 0 {}
        close(file)
    }

    func end() {
        unlink(path)
    }
}

/// Commits until the disk is full, and again when it is not. Prints each result on a line.
func fillUp(path: String, _ scarcity: some Scarcity) throws {
    let store = try SQLiteStore(path: path)
    _ = try store.commit([message(1)])
    try scarcity.begin()
    var committed: UInt64 = 1
    var failure: RoomStoreError?
    while failure == nil {
        do throws(RoomStoreError) {
            _ = try store.commit([message(committed + 1), message(committed + 2)])
            committed += 2
        } catch {
            failure = error
        }
    }
    say("failed \(failure?.description ?? "")\n")
    let full = try store.read(rooms[0], tail: 0, since: nil, atMost: 0)
    say("kept \(full.revision == committed && full.count == Int(committed))\n")
    try scarcity.end()
    let outcomes = try store.commit([message(committed + 1), message(committed + 2)])
    guard case .committed(let last, _)? = outcomes.last else { fatalError("\(outcomes)") }
    say("went on \(last == committed + 2)\n")
}

/// Commits until the log, which has room, cannot be copied into the file, which has none. Prints the operator's notice,
/// and whether the store still has all rows.
func outgrow(path: String) throws {
    var committed: UInt64 = 2_000
    do {
        let store = try SQLiteStore(path: path)
        _ = try store.commit((1...committed).map(message))
        try store.close()
    }
    var status = stat()
    stat(path, &status)
    let told = Guarded<String?>(nil)
    let store = try SQLiteStore(path: path, copyingLogAfter: 10) { text in told.withLock { $0 = $0 ?? text } }
    LimitedFileSize(bytes: rlim_t(status.st_size)).begin()
    while told.withLock({ $0 }) == nil {
        committed += 1
        _ = try store.commit([message(committed)])
    }
    say("told \(told.withLock { $0 } ?? "")\n")
    say("kept \(try store.read(rooms[0], tail: 0, since: nil, atMost: 0).count == Int(committed))\n")
}

private func message(_ number: UInt64) -> RoomOperation {
    let text = String(repeating: "x", count: 2_000)
    let command = CommandID(high: 0, low: number)
    return RoomOperation(
        room: rooms[0],
        operation: Operation(
            command: command, author: ann, role: .write, time: 1, action: .send(MessageContent(text))))
}
