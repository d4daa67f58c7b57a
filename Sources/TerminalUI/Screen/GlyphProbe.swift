import Glibc

/// Tests how the terminal draws joined emoji and flags: it draws each and reads the place of the cursor.
enum GlyphProbe {
    /// The time for the answers, in milliseconds. A terminal that does not answer gets the simplest form.
    private static let patience: Int32 = 250

    /// Tests the terminal, whose modes must be raw.
    ///
    /// - Returns: the terminal's abilities, and any other input that arrived meanwhile.
    static func run() -> (GlyphSupport, typed: [UInt8]) {
        let subjects = ["👩‍💻", "👍🏽", "🇩🇪"]
        let questions = subjects.map { "\u{1B}[1;1H\($0)\u{1B}[6n" }.joined() + "\u{1B}[1;1H\u{1B}[K"
        Array(questions.utf8).withUnsafeBytes { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        var parser = CursorReports()
        let deadline = now() + Int64(patience)
        while parser.columns.count < subjects.count, now() < deadline, let bytes = readInput(until: deadline) {
            for byte in bytes { parser.consume(byte) }
        }
        let columns = parser.columns
        guard columns.count == subjects.count else { return (.least, parser.rest) }
        return (GlyphSupport(joinsEmoji: columns[0] == 3 && columns[1] == 3, pairsFlags: columns[2] == 3), parser.rest)
    }

    private static func readInput(until deadline: Int64) -> [UInt8]? {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, Int32(max(0, deadline - now()))) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// Finds a terminal's answers, `ESC [ row ; column R`, in its input.
struct CursorReports: Equatable {
    /// The columns reported, counted from 1.
    private(set) var columns: [Int] = []
    private var pending: [UInt8] = []
    private var other: [UInt8] = []

    /// The input that was no answer.
    var rest: [UInt8] { other + pending }

    mutating func consume(_ byte: UInt8) {
        switch (pending.count, byte) {
        case (0, 0x1B): pending = [byte]
        case (1, UInt8(ascii: "[")), (2..., UInt8(ascii: "0")...UInt8(ascii: "9")), (2..., UInt8(ascii: ";")):
            pending.append(byte)
        case (2..., UInt8(ascii: "R")):
            let numbers = pending.dropFirst(2).split(separator: UInt8(ascii: ";"))
            let column = numbers.count == 2 ? Int(String(decoding: numbers[1], as: UTF8.self)) : nil
            if let column { columns.append(column) } else { other += pending + [byte] }
            pending = []
        default:
            other += pending + [byte]
            pending = []
        }
    }
}
