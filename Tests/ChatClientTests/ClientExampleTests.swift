import Foundation
import TestSupport
import Testing

/// The comments of ChatClient's public types begin with an example, and the examples compile in ClientExamples.swift.
struct ClientExampleTests {
    /// Returns the examples that compile, by type.
    private static var compiled: [String: [String]] {
        get throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "ClientExamples.swift")
            var (examples, type): ([String: [String]], String?) = ([:], nil)
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if let mark = line.wholeMatch(of: #/ *// MARK: (\w+)/#)?.output.1 {
                    type = mark == "end" ? nil : String(mark)
                } else if let type {
                    examples[type, default: []].append(String(line.dropFirst(8)))
                }
            }
            return examples
        }
    }

    /// Returns the first example in the comment of each public type.
    private static var documented: [String: [String]] {
        get throws {
            var examples: [String: [String]] = [:]
            for (_, text) in try SourceFiles.swift(in: ["ChatClient"]) {
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                for (number, line) in lines.enumerated() {
                    let declaration = /public (?:final )?(?:struct|class|enum|actor) (\w+).*/
                    guard let type = line.wholeMatch(of: declaration)?.output.1 else { continue }
                    let comment = lines[..<number].reversed().prefix { $0.hasPrefix("///") }.reversed()
                    let code = comment.drop { $0 != "/// ```swift" }.dropFirst().prefix { $0 != "/// ```" }
                    examples[String(type)] = code.map { String($0.dropFirst(4)) }
                }
            }
            return examples
        }
    }

    @Test func everyPublicTypeHasAnExampleThatCompiles() throws {
        let (documented, compiled) = (try Self.documented, try Self.compiled)

        #expect(documented.count > 20)
        #expect(documented.keys.sorted() == compiled.keys.sorted())
        for (type, example) in compiled { #expect(documented[type] == example, "\(type)") }
    }
}
