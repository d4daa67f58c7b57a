import CPostgres

/// The faults of addresses, in words of our own. libpq's words repeat the address, and so its password.
extension PostgresAddress {
    private static let codes = """
        in a user's name and password, '@' is written as %40, '/' as %2F, '?' as %3F, '%' as %25
        """
    static let form = "write postgres://USER:PASSWORD@HOST:PORT/DATABASE"

    /// Returns the fault of an address; `nil` if none is found.
    ///
    /// A sign of a password that is not written as its code ends the password, and the rest of it would count as a
    /// machine, a port or a database, whose names are logged.
    static func fault(in text: String) -> String? {
        guard let start = text.firstRange(of: "://")?.upperBound else { return form }
        let parts = text[start...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count > 1 ? parts[1] : ""
        return fault(inPlace: parts.first ?? "") ?? fault(inQuery: query)
            ?? (hasBadCode(text) ? "a '%' must be followed by two hexadecimal digits: \(codes)" : nil)
    }

    private static func fault(inPlace place: Substring) -> String? {
        let pieces = place.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = (pieces.first ?? "").split(separator: "@", omittingEmptySubsequences: false)
        guard authority.count <= 2 else { return "it has more than one '@': \(codes)" }
        if pieces.count > 1, pieces[1].contains("@") { return "it has a '/' before an '@': \(codes)" }
        let ports = (authority.last ?? "").split(separator: ",").compactMap(port)
        guard ports.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }) else {
            return "a port must be a number, and a user's name and password are followed by '@': \(form); \(codes)"
        }
        return nil
    }

    /// Returns what stands after the colon behind a host, which may be an address in brackets.
    private static func port(of host: Substring) -> Substring? {
        let rest = host.lastIndex(of: "]").map { host[$0...] } ?? host
        return rest.firstIndex(of: ":").map { rest[rest.index(after: $0)...] }
    }

    private static func fault(inQuery query: Substring) -> String? {
        for pair in query.split(separator: "&", omittingEmptySubsequences: false) where !query.isEmpty {
            let words = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard words.count != 2 || !known(words[0]) else { continue }
            // The name may be a piece of a password.
            let isHarmless = words.count == 2 && !query.contains("@")
            return isHarmless
                ? "'\(words[0])' is none of PostgreSQL's parameters"
                : "after '?' come PostgreSQL's parameters as NAME=VALUE, with '&' in between: \(codes)"
        }
        return nil
    }

    private static func known(_ name: Substring) -> Bool {
        // The driver for Java calls it that, and libpq knows it.
        guard name != "ssl", let options = PQconndefaults() else { return true }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if String(cString: keyword) == name { return true }
            option += 1
        }
        return false
    }

    private static func hasBadCode(_ text: String) -> Bool {
        text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().contains { piece in
            piece.prefix(2).count < 2 || !piece.prefix(2).allSatisfy { $0.isASCII && $0.isHexDigit }
        }
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
