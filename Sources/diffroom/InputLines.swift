import Glibc

/// The lines of standard input, which must be UTF-8.
struct InputLines {
    private var number = 0
    private var bytes: [UInt8] = []
    /// The index of the first byte that is in no line yet.
    private var start = 0

    /// Returns the next line without its line feed, or the fault of one that is no UTF-8; `nil` at the end.
    ///
    /// Waits for the line.
    mutating func next() -> Result<String, InputError>? {
        guard var line = nextBytes() else { return nil }
        number += 1
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        guard let text = String(validating: line, as: UTF8.self) else {
            return .failure(
                InputError(
                    "line \(number) of the input is not UTF-8, and is not sent: convert the input before, as with "
                        + "iconv -f latin1 -t utf-8"))
        }
        return .success(text)
    }

    private mutating func nextBytes() -> [UInt8]? {
        var feed = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
        while feed == nil {
            bytes.removeFirst(start)
            start = 0
            let known = bytes.count
            guard readMore() else { break }
            feed = bytes[known...].firstIndex(of: UInt8(ascii: "\n"))
        }
        guard start < bytes.count else { return nil }
        let line = bytes[start..<(feed.map { $0 + 1 } ?? bytes.count)]
        start = line.endIndex
        return Array(line)
    }

    /// Returns whether more came before the end of the input.
    private mutating func readMore() -> Bool {
        let chunk = readInput()
        bytes += chunk
        return !chunk.isEmpty
    }
}

/// Waits for standard input, and returns what has come, at most 64 KiB; nothing at its end.
func readInput() -> [UInt8] {
    while true {
        var wasInterrupted = false
        let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { chunk, count in
            let length = unsafe read(STDIN_FILENO, chunk.baseAddress, chunk.count)
            wasInterrupted = length < 0 && errno == EINTR
            count = max(0, length)
        }
        if !wasInterrupted { return chunk }
    }
}

/// A text that arrives as bytes, cut at any place.
struct InputPieces {
    /// The beginning of a character whose other bytes have not come.
    private var rest: [UInt8] = []

    /// Returns the text that is whole with these bytes; `nil` if they are not UTF-8.
    mutating func text(after bytes: [UInt8]) -> String? {
        let all = rest + bytes
        // A character has at most four bytes.
        for cut in 0...min(3, all.count) {
            guard let text = String(validating: all.dropLast(cut), as: UTF8.self) else { continue }
            rest = Array(all.suffix(cut))
            return cut == 0 || isBeginning(rest) ? text : nil
        }
        return nil
    }

    /// True when the input ends within a character.
    var isCut: Bool { !rest.isEmpty }

    /// Returns whether the bytes may begin a character that has more.
    private func isBeginning(_ bytes: [UInt8]) -> Bool {
        let size = (~bytes[0]).leadingZeroBitCount
        return (2...4).contains(size) && bytes.count < size && bytes.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 }
    }
}
