import Foundation
import TestSupport
import Testing
import Tokens

/// A bearer secret.
struct SecretFileTests {
    private let folder = TemporaryFolder()
    private let secret = String(repeating: "s", count: 31) + "1"

    private func file(_ text: String) throws -> String {
        let path = folder.file("secret")
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test
    func whoShowsItIsBelieved() throws {
        let file = try SecretFile(path: file(" \(secret)\r\n"))

        #expect(file.isShown(by: "Bearer \(secret)"))
        #expect(file.isShown(by: "bearer \(secret)"))
    }

    @Test
    func nothingElseIs() throws {
        let file = try SecretFile(path: file(secret))

        let others = ["", "s", secret.dropLast() + "2", "2" + secret.dropFirst(), secret + "1", secret + " 1"]
        for other in others { #expect(!file.isShown(by: "Bearer \(other)"), "\(other)") }
        for header in [nil, "", secret, "Basic \(secret)", "Bearer"] as [String?] {
            #expect(!file.isShown(by: header), "\(header ?? "nothing")")
        }
    }

    @Test(arguments: ["", "\n", String(repeating: "s", count: 31), String(repeating: "s", count: 1_025)])
    func aFileWithTooLittleOrTooMuchIsRefused(text: String) throws {
        let path = try file(text)

        let error = #expect(throws: KeyFileError.self) { try SecretFile(path: path) }
        #expect(error?.path == path && error?.problem.contains("32") == true, "\(String(describing: error))")
    }

    @Test(arguments: ["two lines of it\nand the other is here, too", "zwanzig und mehr Zeichen für Größe und Maß"])
    func whatNoHeaderCanHoldIsRefused(text: String) throws {
        let path = try file(text)

        #expect(throws: KeyFileError.self) { try SecretFile(path: path) }
    }

    @Test
    func aFileThatIsReadAgainHasTheNewOneUnlessItIsNone() throws {
        let file = try SecretFile(path: file(secret))
        let next = String(secret.reversed())

        _ = try self.file(next)
        try file.reload()
        #expect(file.isShown(by: "Bearer \(next)") && !file.isShown(by: "Bearer \(secret)"))

        _ = try self.file("short")
        #expect(throws: KeyFileError.self) { try file.reload() }
        #expect(file.isShown(by: "Bearer \(next)"))
    }
}
