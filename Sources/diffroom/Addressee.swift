import ChatWire
import Tokens

/// The people whom a line is for, and what it says to them: `ann hello`, `@ann: hello`, `ann lee hello`, `ann,bob hello`.
struct Addressee: Equatable {
    /// The people, each once, in the order in which the line names them.
    let users: [UserName]
    /// Empty where the line only names a person.
    let text: String

    /// Reads names and the text behind them.
    ///
    /// A name is quoted, or ends where the longest of the known ones does, which may have spaces, or else before a blank or
    /// comma. A comma with another name right behind it goes on; another comma, or a colon, ends the names.
    init(_ line: String, among known: some Sequence<UserName>) throws(InputError) {
        var rest = line.trimmed[...]
        let names = known.map(\.description).sorted { $0.count > $1.count }
        var users = [try Self.user(takenFrom: &rest, names)]
        while rest.first == ",", let next = rest.dropFirst().first, !next.isWhitespace {
            rest.removeFirst()
            let user = try Self.user(takenFrom: &rest, names)
            if !users.contains(user) { users.append(user) }
        }
        if let stop = rest.first, stop.isStop { rest.removeFirst() }
        (self.users, text) = (users, String(rest.drop(while: \.isWhitespace)))
    }

    private static func user(takenFrom rest: inout Substring, _ known: [String]) throws(InputError) -> UserName {
        if rest.first == "@" { rest.removeFirst() }
        let name: String
        if rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") {
            name = String(rest[..<end].dropFirst())
            rest = rest[end...].dropFirst()
        } else {
            let text = rest
            name = known.first { stands($0, in: text) } ?? text.prefix { !$0.isWhitespace && $0 != "," }.withoutStop
            rest = rest.dropFirst(name.count)
        }
        guard let user = UserName(typed: name) else {
            throw InputError(
                "usage: /msg NAME, or /msg NAME TEXT; more than one: /msg ann,bob TEXT; with spaces: \"ann lee\"")
        }
        return user
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
