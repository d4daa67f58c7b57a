import ChatWire
import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import diffroom

@Suite struct FileLineTests {
    @Test(arguments: [
        ("cat.png", ["cat.png"], ""), ("  cat.png  look at her ", ["cat.png"], "look at her"),
        ("'my cat.png' look", ["my cat.png"], "look"), ("\"it's.png\"", ["it's.png"], ""),
        ("'a b.png' \"c d.png\"  two ", ["a b.png", "c d.png"], "two"), ("my\\ cat.png look", ["my cat.png"], "look"),
        ("a\\\\b", ["a\\b"], ""), ("a.png b.png", ["a.png"], "b.png"),
        ("~/cat.png 'quoted'", ["~/cat.png"], "'quoted'"),
        ("cat.png one\ntwo", ["cat.png"], "one\ntwo"),
    ])
    func aLineHasPathsAndAText(line: String, paths: [String], text: String) throws {
        let read = try FileLine(line)

        #expect(read.paths == paths && read.text == text && read.written == line)
    }

    @Test(arguments: ["", "  ", "''", "'a b.png", "'a' \""])
    func aLineWithoutAPathHasAUsage(line: String) {
        #expect { _ = try FileLine(line) } throws: { "\($0)".contains("/upload PATH [TEXT]") }
    }

    @Test func aTildeIsTheUsersFolder() {
        #expect("~/cat.png".expandingTilde(home: "/home/ann") == "/home/ann/cat.png")
        #expect("~".expandingTilde(home: "/home/ann") == "/home/ann")
        #expect("~bob/cat.png".expandingTilde(home: "/home/ann") == "~bob/cat.png")
        #expect("a~/b".expandingTilde(home: "/home/ann") == "a~/b" && "~/b".expandingTilde(home: nil) == "~/b")
    }

    @Test(arguments: [
        ("/upload ", "", ""), ("/upload ca", "ca", ""), ("/upload ~/my\\ ca", "~/my ca", "~/"),
        ("/upload 'a b", "a b", ""), ("/upload 'a' \"/tmp/b", "/tmp/b", "/tmp/"),
    ])
    func thePathBeforeTheCursorIsCompleted(line: String, path: String, folder: String) throws {
        let completion = try #require(PathCompletion(in: line))

        #expect(completion.path == path && completion.folder == folder)
    }

    @Test(arguments: ["", "/uploa", "hi", "/upload a b", "/upload 'a b' c", "/msg a"])
    func elsewhereThereIsNoPath(line: String) {
        #expect(PathCompletion(in: line) == nil)
    }

    @Test func aPathIsCompletedAsFarAsAllNamesAgree() throws {
        let names = ["my cat.png", "my dog.png", "photos/", ".hidden", "it's"]
        func completed(_ line: String) throws -> String? {
            try #require(PathCompletion(in: "/upload " + line)).completed(among: names)?.text
        }

        #expect(try completed("m") == "my\\ " && completed("my\\ c") == "my\\ cat.png ")
        #expect(try completed("'m") == "my " && completed("'my c") == "my cat.png' ")
        #expect(try completed("~/p") == "~/photos/" && completed("x/.") == "x/.hidden ")
        #expect(try completed("it") == "it\\'s " && completed("z") == nil && completed("h") == nil)
    }

    @Test(arguments: [
        ("/api/files/x.y", "ws://127.0.0.1:8080", "http://127.0.0.1:8080/api/files/x.y"),
        ("/a", "wss://chat.example/ws", "https://chat.example/a"),
        ("/a", "ws://chat.example:80", "http://chat.example/a"),
        ("/a", "wss://chat.example:80/chat?x", "https://chat.example:80/a"), ("/a", "ws://[::1]:9", "http://[::1]:9/a"),
        ("https://files.example/a", "ws://chat.example", "https://files.example/a"),
    ])
    func aPathIsOnTheServerThatSentIt(url: String, server: String, address: String) {
        #expect(webAddress(url, on: server) == address)
    }
}

@Suite struct LocalFileTests {
    private let folder = TemporaryFolder()

    private func write(_ bytes: Int, to name: String) throws -> String {
        try Data(repeating: 7, count: bytes).write(to: URL(filePath: folder.file(name)))
        return folder.file(name)
    }

    @Test func aFileIsDescribedByItsBytesAndItsName() throws {
        let file = try LocalFile(try write(3, to: "my cat.PNG")).description()

        #expect(file.name == "my cat.PNG" && file.media == "image/png" && file.size == 3)
        #expect(file.sha256 == "6a7dc6f4267242f01f6636a45c31da51c036da1e9879abce7e1d0aaa76aad876")
    }

    @Test func aNameThatNoMessageCanHaveIsChanged() throws {
        let file = try LocalFile(try write(1, to: "a\\b\u{202E}\u{7}.txt")).description()

        #expect(file.name == "a_b__.txt")
    }

    @Test func whatIsNoFileIsRefusedWithTheReason() throws {
        let empty = try write(0, to: "empty.txt")
        func fault(_ path: String) -> String {
            do throws(InputError) { _ = try LocalFile(path) } catch { return error.description }
            return ""
        }

        #expect(fault(empty) == "empty.txt is empty")
        #expect(fault(folder.path).hasSuffix("is a folder: pack it into one file first, as with zip -r"))
        #expect(fault(folder.file("none.png")) == "no such file: \(folder.file("none.png"))")
        #expect(fault(empty + "/none") == "no such file: \(empty)/none")
        #expect(fault("/dev/null") == "null is no file: it has no end that is known")
    }

    @Test func theLimitsOfTheServerAreNamed() throws {
        let file = try LocalFile(try write(3_000_000, to: "cat.png"))
        var limits = WireLimits()
        func fault(_ files: Int, _ bytes: Int, of count: Int = 1) -> String {
            (limits.files, limits.fileBytes) = (files, bytes)
            let files = Array(repeating: file, count: count)
            do throws(InputError) { try files.check(limits) } catch { return error.description }
            return ""
        }

        #expect(fault(0, 0) == "this server keeps no files")
        #expect(fault(10, 3_000_000) == "" && fault(10, 3_000_000, of: 10) == "")
        #expect(fault(10, 1_048_576) == "cat.png has 2.9 MB, this server takes files up to 1 MB")
        #expect(
            fault(10, 2_999_999) == "cat.png has 3,000,000 bytes, this server takes files up to 2,999,999 bytes")
        #expect(fault(10, 3_000_000, of: 11).hasPrefix("these are 11 files, a message has up to 10"))
    }
}
