import ChatWire

/// The people and texts that the user does not want to see on this screen.
///
/// ```swift
/// Ignored(["bob", "*lottery*"])  // messages of bob, and those with "lottery" in any case
/// ```
struct Ignored: Equatable {
    /// User names and patterns. In a pattern a `*` stands for any text, and case makes no difference.
    private(set) var rules: [String]

    init(_ rules: [String] = []) {
        self.rules = rules
    }

    /// Returns the first rule that hides a message; `nil` if none does.
    func rule(for text: String, of author: UserName) -> String? {
        rules.first { rule in
            rule.contains("*") ? rule.isPattern(of: text) : rule == author.description
        }
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
