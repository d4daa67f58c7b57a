public import ChatWire
import Foundation

/// Finds whom a text calls: `@` and a name, or `@room` for everybody.
///
/// - Source: "Mentions" in docs/protocol.md, and its vectors.
public enum Mentions {
    /// Returns whom a text calls, the people in the order in which it first does.
    ///
    /// Behind an `@` stands the longest of the known names that is there as a whole, or else the longest run of letters,
    /// digits, `_`, `.` and `-`. An `@` behind one of these, `@` or `/` belongs to an address, and calls nobody. `@room`
    /// calls everybody, unless somebody who is known is called `room`.
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
        guard scalars.contains("@") else { return [] }
        let known = people.map(\.description.composedScalars).sorted { $0.count > $1.count }
        var mentions: Mentioned = []
        var place = scalars.startIndex
        while let sign = scalars[place...].firstIndex(of: "@") {
            place = sign + 1
            guard sign == 0 || !scalars[sign - 1].endsCall else { continue }
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
        return !next.isOfWord && next != "_"
    }

    /// The longest run of what a name without spaces consists of.
    fileprivate var run: Self {
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

    /// True for a character behind which an `@` calls nobody.
    fileprivate var endsCall: Bool {
        isOfWord || "_.-@/".unicodeScalars.contains(self)
    }
}
