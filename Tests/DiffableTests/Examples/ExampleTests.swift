import Foundation
import TestSupport
import Testing

/// Runs the programs under Examples/ and reads what they print.
@Suite
struct ExampleTests {
    private static func run(_ name: String) throws -> String {
        let pipe = try ChildPipe()
        let process = try ChildProcess(RunningProgram.path(of: name), [], output: pipe.writing.fileDescriptor)
        try pipe.writing.close()
        let text = String(decoding: pipe.reading.readDataToEndOfFile(), as: UTF8.self)
        #expect(process.wait() == .exit(0))
        return text
    }

    @Test
    func thePlaylistEndsWithTheRemasterInPlaceOfTheSong() throws {
        let text = try Self.run("example-playlist")

        #expect(text.contains("  > 🎙 Jazz Weekly #12"))
        #expect(text.contains("  written to the store: favourites, up next"))
        #expect(text.contains("rowStays(at: [1, 1])"))
        #expect(text.contains("  - --- advert ---"))
        #expect(
            text.hasSuffix(
                """
                  - ♪ Blue in Green
                  FAVOURITES
                    🎙 Jazz Weekly #12
                    ♪ So What ★
                  UP NEXT
                  + ♪ Blue in Green (remastered)
                    [ Giant Steps (7 songs) ]


                """))
    }

    @Test
    func theWiFiListFollowsTheSwitch() throws {
        let text = try Self.run("example-wifi")

        #expect(text.contains("  -   Library  ▂▂▂\n  * Wi-Fi  [on ]\n"))
        #expect(text.contains("  + ✓ Café"))
        #expect(text.hasSuffix("  * Wi-Fi  [off]\n\n"))
    }

    @Test
    func searchingMovesNothingAndKeepsWhatStillMatches() throws {
        let text = try Self.run("example-mountains")

        #expect(!text.contains("  > "))
        #expect(text.contains("  - Mont Blanc, 4806 m\n    Mount Everest, 8849 m\n    Mount Fuji, 3776 m\n"))
    }

    @Test
    func insertionSortMovesOneRowPerStep() throws {
        let text = try Self.run("example-insertion-sort")

        #expect(text.split(separator: "\n").filter { $0.hasPrefix("  > ") }.count == 5)
        #expect(text.hasSuffix("Sorted: [1, 2, 3, 3, 5, 7, 8, 9]\n"))
    }

    @Test
    func sectionsThatAreObjectsMoveWithTheirVideos() throws {
        let text = try Self.run("example-sections")

        #expect(text.contains("  1. Lists (3)\n    ▸ Snapshots\n  > ▸ Concurrency\n"))
        #expect(text.hasSuffix("* + Interviews\n*     - Ann\n*     - Bob\n* - Outtakes\n"))
    }
}
