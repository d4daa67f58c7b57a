import Glibc
import Synchronization

/// Holds back standard error while the screen is in use, where it would only garble the screen.
///
/// It is written out when the screen is released, so the message of a crash is not lost.
enum ErrorHold {
    private static let held = Atomic<Int32>(-1)
    private static let real = Atomic<Int32>(-1)

    static func begin() {
        guard isatty(STDERR_FILENO) == 1 else { return }  // output elsewhere does not touch the screen
        guard let stream = tmpfile() else { return }
        let file = fileno(stream)
        let copy = dup(STDERR_FILENO)
        guard copy >= 0, dup2(file, STDERR_FILENO) >= 0 else { return }
        held.store(file, ordering: .releasing)
        real.store(copy, ordering: .releasing)
    }

    /// Releases standard error. Safe in a signal handler.
    static func release() {
        let file = held.exchange(-1, ordering: .acquiringAndReleasing)
        guard file >= 0 else { return }
        dup2(real.load(ordering: .acquiring), STDERR_FILENO)
        lseek(file, 0, SEEK_SET)
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            while case let count = read(file, buffer.baseAddress, buffer.count), count > 0 {
                _ = write(STDERR_FILENO, buffer.baseAddress, count)
            }
        }
        close(file)
    }
}
