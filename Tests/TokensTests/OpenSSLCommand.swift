import Foundation
import TestSupport
import Testing

/// The `openssl` command, which makes keys and checks signatures for the tests.
struct OpenSSLCommand {
    let folder: TemporaryFolder

    func callAsFunction(_ arguments: String...) throws {
        try #require(ChildProcess("openssl", arguments).wait() == .exit(0), "openssl \(arguments)")
    }

    /// Makes a private key, and its public key beside it; returns the private one's file.
    func makeKey(_ name: String, _ options: String...) throws -> String {
        let (secret, shown) = (folder.file("\(name).pem"), folder.file("\(name)-public.pem"))
        try #require(ChildProcess("openssl", ["genpkey", "-out", secret] + options).wait() == .exit(0))
        try self("pkey", "-in", secret, "-pubout", "-out", shown)
        return secret
    }

    func publicKey(of name: String) -> String {
        folder.file("\(name)-public.pem")
    }
}
