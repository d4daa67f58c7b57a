/// The path before the cursor in a line of `/upload`, which Tab completes.
struct PathCompletion: Equatable {
    /// The path as it stands in the line, behind its quote if it has one.
    let typed: String
    /// `nil` for a path with backslashes before its spaces.
    let quote: Character?

    /// `nil` if the cursor is not in a path.
    init?(in before: String) {
        let command = "/upload "
        guard before.hasPrefix(command) else { return nil }
        var rest = before.dropFirst(command.count).drop { $0 == " " }
        var isQuoted = false
        while let quote = rest.first, quote == "\"" || quote == "'" {
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: quote) else {
                (typed, self.quote) = (String(rest), quote)
                return
            }
            rest = rest[end...].dropFirst().drop { $0 == " " }
            isQuoted = true
        }
        let isWord = !isQuoted && rest.replacing("\\ ", with: "").firstIndex(of: " ") == nil
        guard isWord else { return nil }
        (typed, quote) = (String(rest), nil)
    }

    /// The path itself.
    var path: String { quote == nil ? typed.replacing(#/\\(.)/#) { $0.output.1 } : typed }
    /// The folder that the path is in, with its slash; empty for the present one.
    var folder: String { String(path[..<(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)]) }

    /// Completes the path as far as there is no choice.
    ///
    /// - Parameter names: those in the ``folder``. The ones of folders end with a slash.
    /// - Returns: the text in the place of ``typed``, and the names that it may become; `nil` if there is none.
    func completed(among names: [String]) -> (text: String, names: [String])? {
        let begun = path.dropFirst(folder.count)
        let found = names.filter { $0.hasPrefix(begun) && ($0.first != "." || begun.first == ".") }.sorted()
        guard let first = found.first else { return nil }
        let common = found.dropFirst().reduce(first[...]) { $0.prefix(zip($0, $1).prefix { $0 == $1 }.count) }
        let isWhole = found.count == 1 && !first.hasSuffix("/")
        return (written(folder + common) + (isWhole ? (quote.map(String.init) ?? "") + " " : ""), found)
    }

    private func written(_ path: String) -> String {
        quote == nil ? path.replacing(#/[\\ '"]/#) { "\\\($0.output)" } : path
    }
}
