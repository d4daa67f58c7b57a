import ChatWire

/// The people and texts that the user does not want to see on this screen.
///
/// ```swift
/// Ignored(["bob", "*lottery*"])  // messages of bob, and those with "lottery" in any case
/// ```
struct Ignored: Equatable {
    /// User names and patterns. In a pattern a `*` stands for any text, and case makes no difference.
    var rules: [String]
    /// The users whom the user blocks, on all devices.
    var blocked: Set<UserName> = []

    init(_ rules: [String] = []) {
        self.rules = rules
    }

    /// Returns the command that shows a message again; `nil` if nothing hides it.
    func remedy(for text: String, of author: UserName) -> String? {
        if blocked.contains(author) { return "/unblock \(author)" }
        let rule = rules.first { rule in
            rule.contains("*") ? rule.isPattern(of: text) : rule == author.description
        }
        return rule.map { "/unignore \($0)" }
    }

    mutating func add(_ rule: String) {
        if !rules.contains(rule) { rules.append(rule) }
    }

    /// - Returns: whether there was such a rule.
    mutating func remove(_ rule: String) -> Bool {
        let count = rules.count
        rules.removeAll { $0 == rule }
        return rules.count < count
    }
}

extension String {
    /// Returns whether a text is this one, in which each `*` stands for any text.
    ///
    /// - Complexity: O(text · parts).
    fileprivate func isPattern(of text: String) -> Bool {
        var parts = lowercased().split(separator: "*", omittingEmptySubsequences: false)[...]
        var rest = text.lowercased()[...]
        guard let first = parts.popFirst(), rest.hasPrefix(first) else { return false }
        rest = rest.dropFirst(first.count)
        guard let last = parts.popLast() else { return rest.isEmpty }
        for part in parts where !part.isEmpty {
            guard let place = rest.firstRange(of: part) else { return false }
            rest = rest[place.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
