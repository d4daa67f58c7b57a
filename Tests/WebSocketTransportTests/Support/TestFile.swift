import Foundation
import Glibc
import TestSupport

/// A file in a folder of its own.
final class TestFile: Sendable {
    let path: String
    private let folder = TemporaryFolder()

    init(_ bytes: [UInt8] = []) {
        path = folder.file("file")
        _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
    }

    /// Bytes that differ from those of another seed.
    convenience init(seed: UInt64, count: Int) {
        self.init(Self.bytes(seed: seed, count: count))
    }

    static func bytes(seed: UInt64, count: Int) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes += $0 } }
        return Array(bytes.prefix(count))
    }

    var bytes: [UInt8] {
        let (descriptor, count) = (descriptor(O_RDONLY), count)
        defer { close(descriptor) }
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            filled = max(0, pread(descriptor, bytes.baseAddress, count, 0))
        }
    }

    var count: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// A new descriptor, which the caller closes.
    func descriptor(_ access: Int32 = O_RDWR) -> Int32 { open(path, access | O_CLOEXEC) }

    /// True while this process has a descriptor of the file.
    var isOpen: Bool {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
    }

    /// Returns when every descriptor is closed.
    func isClosed() {
        while isOpen { sched_yield() }
    }
}

/// A pipe that takes a few bytes before its writer waits: as a slow disk does.
final class TestPipe: Sendable {
    let reader: Int32
    let writer: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        (reader, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let setSize: Int32 = 1031  // F_SETPIPE_SZ, which Swift does not know
        _ = fcntl(writer, setSize, 4096)
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// Waits for so many bytes.
    func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var chunk = [UInt8](repeating: 0, count: count - bytes.count)
            let more = Glibc.read(reader, &chunk, chunk.count)
            guard more > 0 else { break }
            bytes += chunk.prefix(more)
        }
        return bytes
    }
}
