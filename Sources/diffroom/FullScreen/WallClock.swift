import ChatWire
import Foundation

/// Formats times for people, in their time zone.
struct WallClock: Sendable {
    /// Returns a time such as `14:05`.
    func time(_ time: Milliseconds) -> String { text(time, "%H:%M") }

    /// Returns a date such as `2026-03-03`.
    func date(_ time: Milliseconds) -> String { text(time, "%Y-%m-%d") }

    /// Returns a date such as `Tuesday, 3 March 2026`.
    func day(_ time: Milliseconds) -> String { text(time, "%A, %e %B %Y").replacing(",  ", with: ", ") }

    /// Returns the time at which a day such as `2026-03-03` begins; `nil` if there is no such day.
    func beginning(ofDay text: String) -> Milliseconds? { time(onDay: text, hour: 0, minute: 0) }

    /// Returns a time on a day such as `2026-03-03`, or some days after it; `nil` if there is no such day.
    func time(onDay text: String, plus days: Int32 = 0, hour: Int32, minute: Int32) -> Milliseconds? {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { Int32($0) }
        guard numbers.count == 3, let year = numbers[0], let month = numbers[1], let day = numbers[2],
            (1970...9999).contains(year)
        else { return nil }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday, parts.tm_isdst) = (year - 1900, month - 1, day, -1)
        unsafe mktime(&parts)
        // A day that there is not became another one.
        guard unsafe parts.tm_mon == month - 1, unsafe parts.tm_mday == day else { return nil }
        unsafe (parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_isdst) = (day + days, hour, minute, -1)
        let seconds = unsafe mktime(&parts)
        return Milliseconds(seconds) * 1_000
    }

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
