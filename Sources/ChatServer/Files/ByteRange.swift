/// The part of a file that a request names.
///
/// - Source: RFC 9110, sections 14.1.2, 14.2 and 14.4.
enum ByteRange: Equatable {
    /// All of it, also where a request names several parts, or in a way that is not understood.
    case whole
    case part(Range<Int>)
    /// Nothing of the file.
    case outside

    /// - Parameter header: the value of `Range`; `nil` for none.
    init(_ header: String?, of size: Int) {
        self = .whole
        guard let header, header.hasPrefix("bytes="), size > 0 else { return }
        let ends = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.count <= 18 && $0.utf8.allSatisfy { (48...57).contains($0) } })
        else { return }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last?):
            guard first <= last else { return }
            self = first < size ? .part(first..<min(last + 1, size)) : .outside
        case (let first?, nil): self = first < size ? .part(first..<size) : .outside
        case (nil, let last?): self = last > 0 ? .part(max(0, size - last)..<size) : .outside
        case (nil, nil): return
        }
    }
}

/// The place of a body that is a part of an upload.
struct UploadedPart: Equatable {
    let offset: Int

    /// - Parameters:
    ///   - header: the value of `Content-Range`; `nil` for a body from the first byte on.
    ///   - count: the bytes of the body.
    ///   - size: the bytes of the whole.
    /// - Returns: `nil` where the three disagree.
    init?(_ header: String?, count: UInt64, of size: Int) {
        guard let header else {
            guard count == UInt64(size) else { return nil }
            offset = 0
            return
        }
        let words = header.split(separator: " ")
        guard words.count == 2, words[0] == "bytes" else { return nil }
        let numbers = words[1].split { $0 == "-" || $0 == "/" }.map { Int($0) }
        guard numbers.count == 3, let first = numbers[0], let last = numbers[1], let whole = numbers[2],
            whole == size, first >= 0, first <= last, last < size, count == UInt64(last - first + 1)
        else { return nil }
        offset = first
    }
}
