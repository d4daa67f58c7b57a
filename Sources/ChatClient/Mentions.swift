public import ChatWire
import Foundation

/// Finds whom a text calls: `@` and a name, or `@room` for everybody.
///
/// ```swift
/// let text = "lunch, @bob?"
/// let mentions = Mentions.found(in: text, among: people, mayCallEveryone: false)
/// client.send(text, to: lobby, mentions: mentions)
/// ```
///
/// - Source: "Mentions" in docs/protocol-reference.md, and its vectors.
public enum Mentions {
    /// Returns whom a text calls, the people in the order in which it first does.
    ///
    /// Behind an `@` stands the longest of the known names that is there as a whole, or else the longest run of letters,
    /// digits, `_`, `.` and `-`. An `@` behind one of these, `@` or `/` belongs to an address, and is no mention. `@room`
    /// mentions everybody, unless a known user is called `room`. Letters of scripts that put no spaces between words
    /// are no part of an address, and end a known name.
    ///
    /// - Parameters:
    ///   - people: the people who are known, whose names may have spaces.
    ///   - mayCallEveryone: false if `@room` is only text; see ``ChatWire/Role/mayCallEveryone(in:)``.
    ///   - most: the greatest number of people.
    /// - Complexity: O(text + calls × names).
    public static func found(
        in text: String, among people: some Sequence<UserName>, mayCallEveryone: Bool,
        most: Int = WireLimits().mentions
    ) -> Mentioned {
        let scalars = text.composedScalars
        guard scalars.contains(where: \.isSign) else { return [] }
        let known = people.map(\.description.composedScalars).sorted { $0.count > $1.count }
        var mentions: Mentioned = []
        var place = scalars.startIndex
        while let sign = scalars[place...].firstIndex(where: \.isSign) {
            place = sign + 1
            guard scalars.begins(at: sign) else { continue }
            let rest = scalars[place...]
            let person = known.first { rest.hasName($0) }
            let name = person?[...] ?? rest.run
            place += name.count
            var text = String.UnicodeScalarView()
            text.append(contentsOf: name)
            if person == nil, String(text) == Mentioned.wordForEveryone {
                mentions.everyone = mayCallEveryone
            } else if mentions.people.count < most, let user = UserName(String(text)), !mentions.people.contains(user) {
                mentions.people.append(user)
            }
        }
        return mentions
    }
}

extension Mentions {
    /// Returns the typed part of a name at the end of a text; `nil` where no name can begin, as in an address.
    public static func begun(in text: String) -> String? {
        let scalars = Array(text.unicodeScalars)
        guard let sign = scalars.lastIndex(where: \.isSign), scalars.begins(at: sign) else { return nil }
        let typed = scalars[(sign + 1)...]
        guard typed.count <= 64, !typed.contains("\n") else { return nil }
        var begun = String.UnicodeScalarView()
        begun.append(contentsOf: typed)
        return String(begun)
    }
}

extension [Unicode.Scalar] {
    /// Returns whether a sign begins a call, and is no part of an address.
    fileprivate func begins(at sign: Int) -> Bool {
        sign == 0 || self[sign - 1].isOfUnspacedScript || !self[sign - 1].endsCall
    }
}

extension String {
    /// The text in normal form C, as names are.
    fileprivate var composedScalars: [Unicode.Scalar] {
        Array(precomposedStringWithCanonicalMapping.unicodeScalars)
    }
}

extension ArraySlice<Unicode.Scalar> {
    fileprivate func hasName(_ name: [Unicode.Scalar]) -> Bool {
        guard starts(with: name) else { return false }
        guard let next = dropFirst(name.count).first else { return true }
        return !next.isOfWord && next != "_" || next.beginsWord
    }

    /// The longest run of what a name without spaces consists of.
    fileprivate var run: Self {
        let everyone = Array(Mentioned.wordForEveryone.unicodeScalars)
        if starts(with: everyone), dropFirst(everyone.count).first?.beginsWord == true { return prefix(everyone.count) }
        let run = prefix { $0.isOfWord || "_.-".unicodeScalars.contains($0) }
        return run[..<(run.lastIndex { $0 != "." && $0 != "-" }.map { $0 + 1 } ?? run.startIndex)]
    }
}

extension Unicode.Scalar {
    /// True for a letter, its marks, and a digit.
    fileprivate var isOfWord: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber:
            true
        default: false
        }
    }

    /// True for `@`, and for the one that is as wide as a Chinese character.
    fileprivate var isSign: Bool { self == "@" || self == "\u{FF20}" }

    /// True for a character behind which an `@` is no mention.
    fileprivate var endsCall: Bool {
        isOfWord || isSign || "_.-/".unicodeScalars.contains(self)
    }

    /// True for a letter, and its marks, of a script that puts no spaces between words: South-East Asian ones, Han, kana,
    /// and Hangul, whose particles follow a name.
    fileprivate var isOfUnspacedScript: Bool {
        guard properties.generalCategory != .decimalNumber, isOfWord else { return false }
        return switch value {
        case 0x0E00...0x0EFF, 0x1000...0x11FF, 0x1780...0x17FF, 0x1950...0x19DF, 0x1A20...0x1AAF, 0x3000...0x31FF,
            0x3400...0xA4CF, 0xA960...0xA97F, 0xA9E0...0xA9FF, 0xAA60...0xAADF, 0xAC00...0xD7FF, 0xF900...0xFAFF,
            0xFF66...0xFFDC, 0x1AFF0...0x1B16F, 0x20000...0x3FFFF:
            true
        default: false
        }
    }

    /// True for a letter with which another word begins, also without a space. A mark belongs to the letter before it.
    fileprivate var beginsWord: Bool {
        guard isOfUnspacedScript else { return false }
        return switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: false
        default: true
        }
    }
}
