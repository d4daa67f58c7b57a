import ChatWire
import Foundation

/// Formats times for people, in their time zone.
struct WallClock: Sendable {
    /// Returns a time such as `14:05`.
    func time(_ time: Milliseconds) -> String { text(time, "%H:%M") }

    /// Returns a date such as `Tuesday, 3 March 2026`.
    func day(_ time: Milliseconds) -> String { text(time, "%A, %e %B %Y").replacing(",  ", with: ", ") }

    func isSameDay(_ one: Milliseconds, _ other: Milliseconds) -> Bool {
        abs(one - other) < 86_400_000 && text(one, "%j") == text(other, "%j")
    }

    private func text(_ time: Milliseconds, _ format: String) -> String {
        var seconds = time_t(time / 1_000)
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard unsafe strftime(buffer.baseAddress!, buffer.count, format, &parts) > 0 else { return "" }
            return unsafe String(cString: buffer.baseAddress!)
        }
    }
}
