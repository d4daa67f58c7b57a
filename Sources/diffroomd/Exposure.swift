import ChatServer
import CommandLineFlags
import Foundation
import Tokens
import WebSocketTransport

/// A file with a secret that every user of the machine can read.
struct Exposure: Equatable, CustomStringConvertible {
    /// The flag that names the file.
    let flag: String
    let path: String

    var description: String {
        "warning: --\(flag) \(path): every user of this machine can read it: chmod o-rwx \(ShellWord(path))"
    }

    /// Whether all users may read the file: it, and each folder on the way to it, lets others in.
    static func isReadableByAll(_ path: String) -> Bool {
        let file = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath()
        guard mode(file.path) & S_IROTH != 0 else { return false }
        var folder = file.deletingLastPathComponent()
        while folder.path != "/" {
            guard mode(folder.path) & S_IXOTH != 0 else { return false }
            folder = folder.deletingLastPathComponent()
        }
        return true
    }

    /// 0 for a file that is not there.
    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode : 0
    }
}

extension Options {
    /// The files with secrets that every user of the machine can read.
    var exposures: [Exposure] {
        secretFiles.filter { Exposure.isReadableByAll($0.path) }
    }

    private var secretFiles: [Exposure] {
        var secrets: [Exposure] = []
        if let keys, keys.isSecret { secrets.append(Exposure(flag: keys.flag, path: keys.source.path)) }
        if let key = server.transport.certificate?.key { secrets.append(Exposure(flag: "tls-key", path: key)) }
        if let admin { secrets.append(Exposure(flag: "admin-token-file", path: admin.token)) }
        if let webhook { secrets.append(Exposure(flag: "webhook-secret-file", path: webhook.secret)) }
        if case .bucket(_, let credentials)? = files?.place {
            secrets.append(Exposure(flag: "files-credentials", path: credentials))
        }
        if let config, Self.hasPassword(config) { secrets.append(Exposure(flag: "config", path: config)) }
        if case .file(let data) = place {
            secrets += ["", "-wal", "-shm"].map { Exposure(flag: "data", path: data + $0) }
        }
        return secrets
    }

    /// Whether a configuration file holds the password of a database.
    private static func hasPassword(_ path: String) -> Bool {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
        return text.contains(/postgres(ql)?:\\?\/\\?\/[^\/@"]*:[^"]*@/) || text.contains(/[?&]password=/)
    }
}

/// A text as one word of a POSIX shell.
struct ShellWord: CustomStringConvertible {
    let description: String

    init(_ text: String) {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0 < 128 && Self.plain.contains($0) }
        description = isPlain ? text : "'\(text.replacing("'", with: #"'\''"#))'"
    }

    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-".utf8)
}
