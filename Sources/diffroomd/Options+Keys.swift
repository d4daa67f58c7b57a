import CommandLineFlags
import Foundation
import Tokens

/// The keys and rules by which tokens are checked.
struct Keys: Equatable {
    let source: KeySource
    let rules: TokenRules

    /// `nil` if no file is named.
    init?(_ values: FlagValues) throws(FlagError) {
        var rules = TokenRules()
        rules.issuer = values["token-issuer"]
        rules.audience = values["token-audience"]
        rules.leeway = Int64(try values.number("token-leeway", in: 0...3_600)) * 1_000
        guard let source = KeySource(keys: values["keys"], secret: values["secret"]) else { return nil }
        self.source = source
        self.rules = rules
    }

    var flag: String {
        switch source {
        case .keys: "keys"
        case .secret: "secret"
        }
    }

    /// Whether the file can make tokens, not only check them.
    var isSecret: Bool {
        guard case .keys(let path) = source else { return true }
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.contains("PRIVATE KEY-----") || text.contains(/"[dk]"\s*:/)
    }

    func check() throws(FlagError) {
        do throws(KeyFileError) {
            _ = try KeyFile(source)
        } catch {
            throw .badValue(flag, source.path, error.problem)
        }
    }
}

extension Options {
    /// Refuses to listen beyond this machine without keys.
    ///
    /// Without keys a name is only a claim, so the operator must ask for it with `--insecure`.
    static func requireProof(_ values: FlagValues, _ keys: Keys?, host: String) throws(FlagError) {
        guard keys == nil, !values.isOn("insecure"), !isLoopback(host) else { return }
        throw .badValue(
            "listen", values["listen"] ?? "",
            "can be reached from elsewhere, where without keys any client may use any name: give --keys FILE or --secret FILE, "
                + "or --insecure if that is meant",
            because: ["keys", "secret", "insecure"])
    }

    private static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1"].contains(host.lowercased()) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
