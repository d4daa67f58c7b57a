/// The address of a WebSocket: `ws://host:port/path` or `wss://…`.
package struct WebSocketURL: Hashable, Sendable, CustomStringConvertible {
    package var isSecure: Bool
    /// A name or a numeric address, an IPv6 one without brackets.
    package var host: String
    package var port: UInt16
    /// The path with a leading slash, and the query if there is one.
    package var path: String

    package enum ParseError: Error, Equatable, CustomStringConvertible {
        case wrongScheme(String)
        case noHost(String)
        case badPort(String)
        case badCharacter(String)

        /// The rule that the address breaks.
        package var rule: String {
            switch self {
            case .wrongScheme: "must begin with ws:// or wss://"
            case .noHost: "must name a host, as in ws://127.0.0.1:8080"
            case .badPort: "must have a port from 1 to 65535, or none"
            case .badCharacter: "must be ASCII, without spaces and user names"
            }
        }

        package var description: String {
            switch self {
            case .wrongScheme(let text), .noHost(let text), .badPort(let text), .badCharacter(let text):
                "\(text): the address \(rule)"
            }
        }
    }

    package init(isSecure: Bool = false, host: String, port: UInt16, path: String = "/ws") {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.path = path
    }

    /// Parses an address. The default port is 80 or 443, the default path `/ws`. A fragment is dropped.
    package init(_ text: String) throws(ParseError) {
        guard let scheme = ["ws://", "wss://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            throw .wrongScheme(text)
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .badCharacter(text) }
        let rest = text.dropFirst(scheme.count).prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest.dropFirst(authority.count)
        guard !authority.contains("@") else { throw .badCharacter(text) }
        let (host, port) = try Self.split(authority, of: text)
        isSecure = scheme == "wss://"
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
        path = target.isEmpty ? "/ws" : target.hasPrefix("?") ? "/ws" + target : String(target)
    }

    private static func split(
        _ authority: Substring, of text: String
    ) throws(ParseError) -> (host: String, port: UInt16?) {
        var host = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw .noHost(text) }
            host = authority[..<end].dropFirst()
            let after = authority[end...].dropFirst()
            guard after.isEmpty || after.hasPrefix(":") else { throw .badPort(text) }
            port = after.isEmpty ? nil : after.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            port = authority[colon...].dropFirst()
        }
        guard !host.isEmpty else { throw .noHost(text) }
        guard let port else { return (String(host), nil) }
        guard let number = UInt16(port), number > 0, port.first != "+" else { throw .badPort(text) }
        return (String(host), number)
    }

    package var description: String {
        "\(isSecure ? "wss" : "ws")://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"
    }
}
