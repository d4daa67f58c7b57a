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
    func insertionSortOfManySectionsMovesBarsAndMakesNoneAnew() throws {
        let text = try Self.run("example-insertion-sort")

        let steps = text.split(separator: "\n").drop { $0 != "Step 1" }
        #expect(steps.filter { $0.hasPrefix("  > ") }.count == 7)
        #expect(!steps.contains { $0.hasPrefix("  - ") || $0.hasPrefix("  + ") || $0.hasPrefix("  ~ ") })
        #expect(text.hasSuffix("Sorted: [[1, 2, 3, 5, 8, 9], [1, 2, 3], [1, 4, 4, 6, 7]]\n"))
    }

    @Test
    func heightsAreComputedGuessedOrLeftToTheView() throws {
        let text = try Self.run("example-heights")

        #expect(text.contains("  [0, 1]: nobody says, nobody guesses\n"))
        #expect(text.contains("  [0, 0]: fixed(1.0), 1.0\n  [0, 1]: fixed(4.0), 1.0\n  [0, 2]: fixed(2.0), 1.0\n"))
        #expect(text.hasSuffix("  [0, 0]: automatic, 2.0\n  [0, 1]: automatic, 2.0\n\n"))
    }

    @Test
    func theRoomFollowsItsFrames() throws {
        let text = try Self.run("example-room")

        #expect(text.contains("  + ann: how are yuo?\n  ann is typing …\n"))
        #expect(text.contains("  * ann: how are you?\n\nAn answer"))
        #expect(text.contains("  refused: repeatedItem("))
        #expect(
            text.hasSuffix("  - bob: fine\n  HISTORY\n    ann: hello\n    bob: hi\n  SOCKET\n    ann: how are you?\n\n")
        )
    }

    @Test
    func sectionsThatAreObjectsMoveWithTheirVideos() throws {
        let text = try Self.run("example-sections")

        #expect(text.contains("  1. Lists (3)\n    ▸ Snapshots\n  > ▸ Concurrency\n"))
        #expect(text.hasSuffix("* + Interviews\n*     - Ann\n*     - Bob\n* - Outtakes\n"))
    }
}
