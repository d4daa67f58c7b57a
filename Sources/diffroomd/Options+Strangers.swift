import ChatServer
import CommandLineFlags
import WebSocketTransport

/// The options that restrict connections.
extension Options {
    static func origins(_ values: FlagValues) throws(FlagError) -> [String]? {
        let origins = values.all("origin")
        for origin in origins where origin != "*" && origin.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\/]+/) == nil
        {
            throw .badValue("origin", origin, "must be an origin, such as https://chat.example, without a path; or *")
        }
        return origins.isEmpty ? nil : origins
    }

    static func certificate(_ values: FlagValues) -> Certificate? {
        guard let chain = values["tls-cert"], let key = values["tls-key"] else { return nil }
        return Certificate(chain: chain, key: key)
    }

    /// Sets the limits for each address.
    ///
    /// Addresses of this machine, where proxies and tests run, have only the limits that are set explicitly.
    static func limit(_ transport: inout WebSocketServerConfiguration, _ values: FlagValues) throws(FlagError) {
        transport.maxConnectionsPerAddress = 1_000
        transport.handshakesPerSecond = 50
        transport.limitsLoopback = values["max-per-address"] != nil || values["handshake-rate"] != nil
        if values["max-per-address"] != nil {
            transport.maxConnectionsPerAddress = try values.number("max-per-address", in: 0...10_000_000)
        }
        if values["handshake-rate"] != nil {
            transport.handshakesPerSecond = try values.number("handshake-rate", in: 0...1_000_000)
        }
        transport.trustedProxies = values.all("trust-proxy")
        transport.speaksProxyProtocol = values.isOn("proxy-protocol")
        for proxy in transport.trustedProxies where !WebSocketServerConfiguration.isNetwork(proxy) {
            throw .badValue("trust-proxy", proxy, "must be an address or a network, such as 10.0.0.0/8")
        }
    }

    /// Reads the memory budget. A smaller one could not hold a few of the largest answers, and would close their
    /// readers.
    static func memoryBudget(_ values: FlagValues) throws(FlagError) -> Int {
        let bytes = try values.size("memory-budget", in: 0...(1 << 50))
        guard bytes == 0 || bytes >= 16 << 20 else {
            throw .badValue("memory-budget", values["memory-budget"] ?? "", "must be 16M or more, or 0 for no limit")
        }
        return bytes
    }

    /// Reads the limits for each connection and each user; 0 for none.
    static func allowances(_ values: FlagValues) throws(FlagError) -> Allowances {
        var allowances = Allowances()
        allowances.commands = Allowances.perSecond(try values.number("command-rate", in: 0...1_000_000))
        allowances.pages = Allowances.perSecond(try values.number("page-rate", in: 0...1_000_000))
        allowances.sends = Allowances.perSecond(try values.number("send-rate", in: 0...1_000_000))
        allowances.rooms = Allowances.perHour(try values.number("room-rate", in: 0...1_000_000))
        allowances.userBytes = Allowances.perHour(try values.size("user-bytes", in: 0...(1 << 40)))
        allowances.roomBytes = Allowances.perHour(try values.size("room-bytes", in: 0...(1 << 40)))
        let connections = try values.number("max-per-user", in: 0...10_000_000)
        allowances.connections = connections == 0 ? nil : connections
        return allowances
    }
}
