import Tokens

/// The commands for trying the server out on this machine.
struct Invitation {
    /// The path of `diffroomd`.
    let program: String
    /// `wss://127.0.0.1:8080`, for example.
    let url: String
    let keys: Keys?

    /// Where names need no proof, a name is enough; otherwise a token is made first.
    var command: String {
        let client = ShellWord(program.replacing(/d$/, with: ""))
        guard let keys else { return "\(client) \(url) --user ann" }
        return "DIFFROOM_TOKEN=$(\(ShellWord(program)) token \(Self.flags(keys))) \(client) \(url)"
    }

    private static func flags(_ keys: Keys) -> String {
        let key =
            switch keys.source {
            case .secret(let path): "--secret \(ShellWord(path))"
            // A file of public keys makes no tokens.
            case .keys(let path): "--key \(keys.isSecret ? "\(ShellWord(path))" : "PRIVATE-KEY-FILE")"
            }
        let rules = [("--issuer", keys.rules.issuer), ("--audience", keys.rules.audience)]
        let asked = rules.compactMap { flag, value in value.map { " \(flag) \(ShellWord($0))" } }.joined()
        return "\(key) --user ann --grant lobby=write\(asked)"
    }
}
