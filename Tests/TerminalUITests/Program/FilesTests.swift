import Foundation
import TestSupport
import Testing

extension OnTheScreen {
    @Suite struct FilesTests {
        private let folder = TemporaryFolder()
    }
}

extension OnTheScreen.FilesTests {
    private func write(_ count: Int, to name: String) throws -> String {
        try Data(repeating: 7, count: count).write(to: URL(filePath: folder.file(name)))
        return folder.file(name)
    }

    @Test func aFileIsSeenByOthersAndItsAddressIsShown() throws {
        let server = try ServerProcess(["--files", folder.file("files")])
        let path = try write(3_000_000, to: "my film.mp4")
        let ann = try TmuxScreen(server.screen("ann"))
        let bob = try TmuxScreen(server.screen("bob"), columns: 60, rows: 20)
        try ann.wait(for: "online")
        try bob.wait(for: "online")

        try ann.type("/upload '\(path)'")
        try ann.press("Enter")

        try bob.wait(for: "the file, and its name once") { lines in
            lines.contains { $0.hasPrefix("   ▤ my film.mp4  2.9 MB") } && lines.count { $0.contains("film") } == 1
        }
        try ann.wait(for: "▤ my film.mp4  2.9 MB")
        try ann.press("Tab")
        try ann.wait(for: "o its files")
        try ann.press("o")
        try ann.wait(for: "http://\(server.address)/api/files/")
        try ann.wait(for: "the address, good until")
        try bob.type("/links")
        try bob.press("Enter")
        try bob.wait(for: "http://\(server.address)/api/files/")
    }

    @Test func whatCannotBeSentComesBackToBeCorrected() throws {
        let server = try ServerProcess(["--files", folder.file("files"), "--file-size", "1M"])
        let path = try write(3_000_000, to: "film.mp4")
        let ann = try TmuxScreen(server.screen("ann"), columns: 120)
        try ann.wait(for: "online")

        try ann.type("/upload /no/film.mp4")
        try ann.press("Enter")
        try ann.wait(for: "no such file: /no/film.mp4")
        try ann.wait(for: "❯ /upload /no/film.mp4")
        try ann.press("C-u")
        try ann.type("/upload \(path)")
        try ann.press("Enter")

        try ann.wait(for: "film.mp4 has 2.9 MB, this server takes files up to 1 MB")
    }

    @Test func anUploadWaitsForAConnectionAndEscapeCancelsIt() throws {
        let server = try ServerProcess(["--files", folder.file("files")])
        let path = try write(10, to: "cat.png")
        let ann = try TmuxScreen(server.screen("ann"))
        try ann.wait(for: "● online")
        server.kill()
        try ann.wait(for: "○ offline")

        try ann.type("/upload \(path) one")
        try ann.press("Enter")
        try ann.wait(for: "↑ cat.png")
        try ann.press("Escape")
        try ann.wait(for: "the upload is cancelled")
        try ann.wait(for: "no upload") { lines in !lines.contains { $0.contains("↑ cat.png") } }
        try ann.type("/upload \(path) two")
        try ann.press("Enter")
        try ann.wait(for: "↑ cat.png")
        try server.start()

        try ann.wait(for: "the second one alone") { lines in
            lines.count { $0.contains("▤ cat.png  10 B") } == 1 && lines.contains { $0.hasSuffix("two") }
                || lines.contains { $0.contains("   two ") }
        }
    }
}
