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
