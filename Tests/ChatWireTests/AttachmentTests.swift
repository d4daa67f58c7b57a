import TestSupport
import Testing

@testable import ChatWire

/// The files of a message on the wire: what is taken, and what is wrong with the rest.
struct AttachmentTests {
    private static let digest = String(repeating: "0a", count: 32)
    private static let id = "11111111-2222-4333-8444-555555555555"
    private static let file = #""name":"a.png","media":"image/png","size":7,"sha256":"\#(digest)""#

    @Test(arguments: ["a", "cat.png", "日本 (1).pdf", "a'b\"c", String(repeating: "x", count: 255), "..."])
    func aNameMayBe(_ name: String) {
        #expect(FileDescription(name: name, media: "image/png", size: 1, sha256: Self.digest)?.name == name)
    }

    @Test(arguments: [
        "", " ", ".", "..", "a/b", "a\\b", "a\nb", "a\u{0}", "cat\u{202E}gnp.exe", "\u{2067}a", "a\u{2028}b",
        "\u{200B}",
        String(repeating: "x", count: 256),
    ])
    func aNameMayNotBe(_ name: String) {
        #expect(FileDescription(name: name, media: "image/png", size: 1, sha256: Self.digest) == nil)
    }

    @Test(arguments: [
        "image/png": true, "application/vnd.api+json": true, "image/svg+xml": true, "x/y": true, "Image/png": false,
        "image": false, "image/": false, "/png": false, "image/png; charset=utf-8": false, "a/b/c": false,
        "image/p ng": false, "image/\u{E9}": false,
    ])
    func aMediaTypeIsTwoWordsInLowerCase(_ media: String, isRight: Bool) {
        #expect((FileDescription(name: "a", media: media, size: 1, sha256: Self.digest) != nil) == isRight)
    }

    @Test(
        arguments: [
            ("", nil), ("width", #""width":1"#), ("height", #""height":1"#), ("width", #""width":0,"height":1"#),
            ("height", #""width":1,"height":100001"#), ("preview", #""preview":"a b""#),
            ("preview", "\"preview\":\"\(String(repeating: "A", count: 2_049))\""), ("duration", #""duration":-1"#),
        ] as [(String, String?)])
    func whatAClientSaysOfAFileIsChecked(field: String, json: String?) throws {
        let more = json.map { ",\($0)" } ?? ""
        let error = sendError(#"[{"id":"\#(Self.id)",\#(Self.file),"proof":"p"\#(more)}]"#)

        #expect(error?.field == (json == nil ? nil : "files[0].\(field)"), "\(String(describing: error))")
    }

    /// Pictures of 24 × 16 pixels, plain, without loss and with transparency, and of 128 × 128.
    @Test(arguments: [
        "UklGRjYAAABXRUJQVlA4ICoAAADQAgCdASoYABAAP83W4mY/tK4nMAgD8DmJQBdgBlKAAP7D8OIwz2fHgAA=",
        "UklGRh4AAABXRUJQVlA4TBEAAAAvF8ADAAfQuqKUrP+BiOh/AAA=",
        "UklGRloAAABXRUJQVlA4WAoAAAAQAAAAFwAADwAAQUxQSAoAAAABB1DAiAhERP8DVlA4ICoAAADQAgCdASoYABAAP83W4mY/tK4nMAgD8DmJQBdgBlKAAP7D8OIwz2fHgAA=",
        "UklGRngAAABXRUJQVlA4IGwAAADwBgCdASqAAIAAP83m8XM/uDOsoIgD8DmJaW7hdKDKgCHs22IvEFVqCiiHEXibooNuFJeX57Yi8WMo57Yi8QCAAP76fHrSILLTmjexlbvKQDrCFLqUQLOfc6mF/f92QS6JiJ8hggYc2hcAAAA=",
    ])
    func aPreviewIsATinyPicture(_ preview: String) {
        #expect(sendError(#"[{"id":"\#(Self.id)",\#(Self.file),"proof":"p","preview":"\#(preview)"}]"#) == nil)
    }

    /// A WebP of 129 × 2 pixels, one that claims 16,383 × 16,383 in 34 bytes, a PNG, and what is no picture.
    @Test(arguments: [
        "UklGRkIAAABXRUJQVlA4IDYAAABQAwCdASqBAAIAP83m7nE/uDIro4gD8DmJZwDGBAtQqlHnwAD+xBrEYZ40UE9uxW/hNC/LQAA=",
        "UklGRhoAAABXRUJQVlA4TA4AAAAv/r//DwcQEf0PRET/Aw==",
        "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAFElEQVR4nGPUKE1hgAEmBiSAmwMAMvoBCWhcIEYAAAAASUVORK5CYII=",
        "", "AAAA", "PHNjcmlwdD4=", "UklGRg==", "UklGRgAAAABXRUJQ", "/9j/", "/9j/wAAL",
    ])
    func aPreviewIsNothingElse(_ preview: String) {
        let error = sendError(#"[{"id":"\#(Self.id)",\#(Self.file),"proof":"p","preview":"\#(preview)"}]"#)

        #expect(error?.field == "files[0].preview")
    }

    /// Any bytes, and any tiny picture with any byte changed, are read to their end.
    @Test(arguments: UInt64(0)..<50)
    func noPreviewIsTooOddToBeRead(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for picture in [
            "UklGRloAAABXRUJQVlA4WAoAAAAQAAAAFwAADwAAQUxQSAoAAAABB1DAiAhERP8DVlA4ICoAAADQAgCdASoYABAAP83W4mY/tK4nMAgD8DmJQBdgBlKAAP7D8OIwz2fHgAA=",
            "/9j/4AAQSkZJRgABAQAAAQABAAD/wAALCAAYABAB",
        ] {
            var bytes = Array(picture.utf8)
            for _ in 0..<200 {
                bytes[Int.random(in: 5..<bytes.count, using: &random)] = alphabet.randomElement(using: &random) ?? 65
                _ = PreviewPicture.isPreview(String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    @Test func aMessageHasNoMoreFilesThanTheServerTakes() {
        func files(_ count: Int) -> String {
            "["
                + (0..<count).map { "{\"id\":\"\(UniqueID(high: 1, low: UInt64($0)))\",\(Self.file),\"proof\":\"p\"}" }
                .joined(separator: ",") + "]"
        }
        #expect(sendError(files(10)) == nil)
        #expect(sendError(files(11))?.reason == .tooMany)
        #expect(sendError(files(1), most: 0)?.reason == .noFiles)
        #expect(sendError("[]", most: 0) == nil)
        let twice = files(1).dropLast() + "," + files(1).dropFirst()
        #expect(sendError(String(twice))?.field == "files[1].id")
    }

    @Test func aFileWithoutItsProofIsNotSent() {
        let error = sendError(#"[{"id":"\#(Self.id)",\#(Self.file)}]"#)

        #expect(error?.reason == .missing && error?.field == "files[0].proof")
    }

    @Test func anUploadNamesNoMoreBytesThanTheServerTakes() throws {
        func error(_ size: String, files: Int = 10) -> WireError? {
            let json =
                #"{"ref":7,"type":"upload","room":"a","message":"\#(Self.id)","name":"a","media":"a/b","size":\#(size),"sha256":"\#(Self.digest)"}"#
            return self.error(json, files: files)
        }
        #expect(error("100") == nil)
        #expect(error("101")?.field == "size" && error("101")?.reason == .tooLong)
        #expect(error("0")?.field == "size")
        #expect(error("100", files: 0)?.reason == .noFiles)
    }

    @Test func linksAreRequestedForOneToAHundredFiles() {
        func error(_ count: Int) -> WireError? {
            let file = #"{"message":"\#(Self.id)","id":"\#(Self.id)"}"#
            let files = Array(repeating: file, count: count).joined(separator: ",")
            return self.error(#"{"ref":7,"type":"links","room":"a","files":[\#(files)]}"#, files: 10)
        }
        #expect(error(0)?.field == "files" && error(1) == nil && error(100) == nil && error(101)?.field == "files")
    }

    private func sendError(_ files: String, most: Int = 10) -> WireError? {
        error(
            #"{"ref":7,"type":"send","room":"a","id":"\#(Self.id)","text":"x","files":\#(files)}"#, files: most)
    }

    private func error(_ json: String, files: Int) -> WireError? {
        var limits = WireLimits()
        (limits.files, limits.fileBytes) = (files, 100)
        do {
            _ = try ClientFrame(json: Array(json.utf8), limits: limits)
            return nil
        } catch FrameError.bad(7, let error) {
            return error
        } catch {
            Issue.record("\(error)")
            return nil
        }
    }
}
