import ChatWire
import Tokens

/// The person whom a line is for, and what it says to them: `ann hello`, `@ann: hello`, `ann lee hello`.
struct Addressee: Equatable {
    let user: UserName
    /// Empty where the line only names somebody.
    let text: String

    /// Reads a name and the text behind it.
    ///
    /// The name ends where the longest of the known ones does, which may have spaces, or else before a blank. A comma or
    /// colon may stand behind it.
    init(_ line: String, among known: some Sequence<UserName>) throws(InputError) {
        var rest = line.trimmed[...]
        if rest.first == "@" { rest.removeFirst() }
        let names = known.map(\.description).sorted { $0.count > $1.count }
        let run = rest.prefix { !$0.isWhitespace }
        let name = names.first { Self.stands($0, in: rest) } ?? run.withoutStop
        guard let user = UserName(typed: name) else { throw InputError("say: /msg NAME, or /msg NAME TEXT") }
        rest = rest.dropFirst(name.count)
        if let stop = rest.first, stop.isStop { rest.removeFirst() }
        (self.user, text) = (user, String(rest.drop(while: \.isWhitespace)))
    }

    private static func stands(_ name: String, in rest: Substring) -> Bool {
        rest.hasPrefix(name) && rest.dropFirst(name.count).first.map { $0.isWhitespace || $0.isStop } ?? true
    }
}

extension Character {
    fileprivate var isStop: Bool { self == "," || self == ":" }
}

extension Substring {
    fileprivate var withoutStop: String { String(last?.isStop ?? false ? dropLast() : self) }
}
