package import WebSocketTransport

/// An authority that nobody trusts, and certificates that it has signed. Needs the program `openssl`.
package struct TestAuthority: Sendable {
    private let folder: TemporaryFolder

    /// - Parameter folder: for its files.
    package init(in folder: TemporaryFolder = TemporaryFolder()) throws {
        self.folder = folder
        try make("authority", subject: "Test authority", ["-addext", "keyUsage=keyCertSign"])
    }

    /// The authority's own certificate.
    package var file: String { path("authority.pem") }

    /// Makes a certificate for this machine.
    ///
    /// - Parameters:
    ///   - name: the common name, and that of the files: the same name again replaces them.
    ///   - alternatives: the names that it is for.
    ///   - days: the days that it is valid for.
    package func certificate(
        _ name: String, for alternatives: String = "DNS:localhost,IP:127.0.0.1", days: Int = 2
    ) throws -> Certificate {
        try make(
            name, subject: name,
            [
                "-CA", file, "-CAkey", path("authority.key"), "-addext", "subjectAltName=\(alternatives)",
                "-addext", "basicConstraints=critical,CA:FALSE",
            ], days: days)
        return Certificate(chain: path("\(name).pem"), key: path("\(name).key"))
    }

    package func path(_ name: String) -> String { folder.file(name) }

    private func make(_ name: String, subject: String, _ extra: [String], days: Int = 2) throws {
        let made = try ChildProcess(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "\(days)",
                "-subj", "/CN=\(subject)", "-keyout", path("\(name).key"), "-out", path("\(name).pem"),
            ] + extra)
        guard made.wait() == .exit(0) else { throw RawPeer.Failure(description: "openssl made no certificate") }
    }
}
