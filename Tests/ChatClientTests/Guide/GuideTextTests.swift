import Foundation
import Testing

/// The code of the guide is code of the tests beside this file, which run it.
struct GuideTextTests {
    @Test func allCodeOfTheGuideIsTested() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let guide = here.appending(path: "../../../Sources/ChatClient/ChatClient.docc").standardizedFileURL
        let tests = try ["GuideTests.swift", "GuideScreen.swift"].map { try code(in: here.appending(path: $0)) }
        let pages = try FileManager.default.contentsOfDirectory(at: guide, includingPropertiesForKeys: nil)
        var count = 0
        for page in pages where page.pathExtension == "md" {
            for block in try blocks(of: page) {
                count += 1
                let isTested = tests.contains { $0.contains(block) }
                #expect(isTested, "\(page.lastPathComponent): \(block.joined(separator: "\n"))")
            }
        }
        #expect(count == 9)
    }

    /// Returns the lines without indentation, empty lines, imports and the address of the server.
    private func code(in file: URL) throws -> [Substring] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .map { $0.drop { $0 == " " } }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") && !$0.hasPrefix("let url = ") }
    }

    private func blocks(of page: URL) throws -> [[Substring]] {
        var (blocks, isInside): ([[Substring]], Bool) = ([], false)
        for line in try code(in: page) {
            if line == "```swift" {
                isInside = true
                blocks.append([])
            } else if line == "```" {
                isInside = false
            } else if isInside {
                blocks[blocks.count - 1].append(line)
            }
        }
        return blocks
    }
}
