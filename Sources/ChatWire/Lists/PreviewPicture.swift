/// The dimensions of a tiny JPEG or WebP, as its header states them: a few bytes can otherwise claim a picture that takes a
/// gigabyte to draw.
///
/// - Source: ITU-T T.81, B.2.2 (JPEG frame header); RFC 9649 (WebP), RFC 6386, 9.1 (VP8).
struct PreviewPicture {
    /// The longest side, in pixels.
    static let longest = 128

    private let bytes: [UInt8]

    /// Returns whether a text is a JPEG or a WebP in base64, of at most ``longest`` pixels a side.
    static func isPreview(_ base64: String) -> Bool {
        guard let bytes = decoded(base64) else { return false }
        let picture = PreviewPicture(bytes: bytes)
        guard let (width, height) = picture.webP ?? picture.jpeg else { return false }
        return (1...longest).contains(width) && (1...longest).contains(height)
    }

    private static func decoded(_ base64: String) -> [UInt8]? {
        var (bytes, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for byte in base64.utf8.reversed().drop(while: { $0 == UInt8(ascii: "=") }).reversed() {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private func has(_ text: String, at place: Int) -> Bool { bytes.dropFirst(place).starts(with: text.utf8) }

    /// A number of several bytes, the lowest first; 0 beyond the end.
    private func little(_ count: Int, at place: Int) -> Int {
        guard place + count <= bytes.count else { return 0 }
        return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func big(at place: Int) -> Int {
        place + 2 <= bytes.count ? Int(bytes[place]) << 8 | Int(bytes[place + 1]) : 0
    }

    /// The dimensions of a WebP, 0 of one that moves or is cut short; `nil` for what is none.
    private var webP: (Int, Int)? {
        guard has("RIFF", at: 0), has("WEBP", at: 8) else { return nil }
        var (chunk, canvas): (Int, (Int, Int)?) = (12, nil)
        while chunk + 8 <= bytes.count {
            let content = chunk + 8
            var found: (Int, Int)?
            if has("VP8 ", at: chunk) {
                found = (little(2, at: content + 6) & 0x3FFF, little(2, at: content + 8) & 0x3FFF)
            } else if has("VP8L", at: chunk) {
                let bits = little(4, at: content + 1)
                found = (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
            } else if has("VP8X", at: chunk) {
                canvas = (little(3, at: content + 4) + 1, little(3, at: content + 7) + 1)
            } else if has("ANIM", at: chunk) || has("ANMF", at: chunk) {
                return (0, 0)
            }
            if let found { return (max(found.0, canvas?.0 ?? 0), max(found.1, canvas?.1 ?? 0)) }
            let size = little(4, at: chunk + 4)
            chunk = content + size + size % 2
        }
        return (0, 0)
    }

    /// The dimensions of the first frame; `nil` for what is no JPEG.
    private var jpeg: (Int, Int)? {
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        var place = 2
        while place + 9 <= bytes.count, bytes[place] == 0xFF {
            let marker = bytes[place + 1]
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                return (big(at: place + 7), big(at: place + 5))
            }
            place += 2 + max(2, big(at: place + 2))
        }
        return nil
    }
}
