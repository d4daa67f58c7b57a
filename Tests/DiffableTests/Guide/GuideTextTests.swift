import FoundationEssentials
import Testing

/// The code in the guide and in the README is code of the tests beside this file.
@Suite
struct GuideTextTests {
    @Test
    func allCodeOfTheGuideIsTested() throws {
        let root = String(#filePath.prefix(upTo: try #require(#filePath.firstRange(of: "/Tests/")).lowerBound))
        let names = [
            "DiffableTests/Guide/GuideTests", "DiffableTests/Guide/GuideScreens",
            "DiffableTests/Compatibility/UIKitNames", "StandIns/Snippets/Views",
        ]
        let tests = try names.map {
            try lines(root + "/Tests/\($0).swift").filter { !$0.isEmpty }
        }
        let folder = root + "/Sources/Diffable/"
        let guide = try FileManager.default.contentsOfDirectory(atPath: folder + "Diffable.docc")
        let pages = ["README.md"] + guide.filter { $0.hasSuffix(".md") }.map { "Diffable.docc/" + $0 }
        var count = 0
        for page in pages {
            for code in try blocks(folder + page) where !code.contains(where: { $0.contains(".package(") }) {
                count += 1
                #expect(tests.contains { $0.contains(code) }, "\(page): \(code.joined(separator: "\n"))")
            }
        }
        #expect(count > 12)
    }

    private func lines(_ path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0.drop { $0 == " " }) }
    }

    /// Returns the blocks of Swift of a page, without empty lines.
    private func blocks(_ path: String) throws -> [[String]] {
        var blocks: [[String]] = []
        var isInside = false
        for line in try lines(path) {
            if line == "```swift" {
                isInside = true
                blocks.append([])
            } else if line == "```" {
                isInside = false
            } else if isInside, !line.isEmpty, !line.hasPrefix("import ") {
                blocks[blocks.count - 1].append(line)
            }
        }
        return blocks
    }
}
