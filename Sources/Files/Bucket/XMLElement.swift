/// An element of a small XML document, as the stores of files answer. Attributes are left out.
///
/// - Shape: elements, text, references to characters, and a declaration at the beginning. Comments, document types and
///   `CDATA` are faults, as is everything that is not well-formed, or nested more than ``deepest`` times.
/// - Source: XML 1.0, fifth edition.
struct XMLElement: Equatable {
    let name: String
    private(set) var children: [XMLElement] = []
    /// The text of an element without children.
    private(set) var text = ""

    static let deepest = 8

    init?(document: [UInt8]) {
        var reader = XMLReader(document)
        guard let root = reader.document() else { return nil }
        self = root
    }

    fileprivate init(name: String) { self.name = name }

    /// The first child of a name.
    subscript(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    fileprivate mutating func append(_ child: XMLElement) { children.append(child) }

    fileprivate mutating func append(_ more: String) { text += more }
}

private struct XMLReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func document() -> XMLElement? {
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        if consume("<?xml") {
            guard text(upTo: "?>") != nil else { return nil }
        }
        skipSpace()
        guard let root = element(depth: 1) else { return nil }
        skipSpace()
        return rest.isEmpty ? root : nil
    }

    private mutating func element(depth: Int) -> XMLElement? {
        guard depth <= XMLElement.deepest, consume("<"), let tag = text(upTo: ">") else { return nil }
        let isEmpty = tag.hasSuffix("/")
        let name = String(tag.prefix { !$0.isWhitespace && $0 != "/" })
        guard name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_.\-]*/) != nil, !tag.contains("<") else { return nil }
        var element = XMLElement(name: name)
        if isEmpty { return element }
        while let byte = rest.first {
            if byte != UInt8(ascii: "<") {
                let bytes = rest.prefix { $0 != UInt8(ascii: "<") }
                rest = rest.dropFirst(bytes.count)
                guard let text = String(validating: bytes, as: UTF8.self).flatMap(Self.decoded) else { return nil }
                element.append(text)
            } else if consume("</") {
                return text(upTo: ">")?.trimmingEnd == name ? element : nil
            } else {
                guard let child = self.element(depth: depth + 1) else { return nil }
                element.append(child)
            }
        }
        return nil
    }

    private mutating func skipSpace() { rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

    private mutating func consume(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// Consumes the text up to a mark, and the mark.
    private mutating func text(upTo mark: String) -> String? {
        let mark = Array(mark.utf8)
        var end = rest.startIndex
        while end < rest.endIndex, !rest[end...].starts(with: mark) { end += 1 }
        guard end < rest.endIndex, let text = String(validating: rest[..<end], as: UTF8.self) else { return nil }
        rest = rest[(end + mark.count)...]
        return text
    }

    /// The text of which this is the escaped form; `nil` for a reference to another than the five names and to numbers.
    private static func decoded(_ text: String) -> String? {
        var decoded = ""
        for (index, part) in text.split(separator: "&", omittingEmptySubsequences: false).enumerated() {
            guard index > 0 else {
                decoded += part
                continue
            }
            guard let end = part.firstIndex(of: ";"), let character = character(part[..<end]) else { return nil }
            decoded.unicodeScalars.append(character)
            decoded += part[part.index(after: end)...]
        }
        return decoded
    }

    private static func character(_ name: Substring) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst()
            let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(Unicode.Scalar.init)
        }
    }
}

extension String {
    fileprivate var trimmingEnd: String { String(reversed().drop { $0.isWhitespace }.reversed()) }
}
