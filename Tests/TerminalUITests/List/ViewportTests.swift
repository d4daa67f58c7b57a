import TerminalUI
import TestSupport
import Testing

@Suite struct ViewportTests {
    private func blocks(_ heights: [Int]) -> Viewport.Blocks {
        Viewport.Blocks(count: heights.count) { heights[$0] }
    }

    /// Returns the visible lines as (block, line).
    private func seen(_ viewport: inout Viewport, _ heights: [Int]) -> [[Int]] {
        viewport.slices(of: blocks(heights)).flatMap { slice in slice.lines.map { [slice.block, $0] } }
    }

    private func all(_ heights: [Int]) -> [[Int]] {
        heights.enumerated().flatMap { block, height in (0..<height).map { [block, $0] } }
    }

    @Test func atTheEndTheLastLinesAreSeen() {
        var viewport = Viewport(rows: 4)

        #expect(seen(&viewport, [2, 3, 0, 2]) == [[1, 1], [1, 2], [3, 0], [3, 1]])
        #expect(seen(&viewport, [1]) == [[0, 0]])
        #expect(seen(&viewport, []) == [])
    }

    @Test func scrolledUpItStaysWhateverComesBelow() {
        var viewport = Viewport(rows: 2)
        viewport.scroll(by: -2, of: blocks([2, 2, 2]))

        #expect(seen(&viewport, [2, 2, 2]) == [[1, 0], [1, 1]])
        #expect(seen(&viewport, [2, 2, 2, 5, 5]) == [[1, 0], [1, 1]])
    }

    @Test func scrolledToTheEndItFollowsAgain() {
        var viewport = Viewport(rows: 2)
        viewport.scroll(by: -3, of: blocks([2, 2, 2]))
        viewport.scroll(by: 100, of: blocks([2, 2, 2]))

        #expect(viewport.position == .end)
    }

    @Test func whatIsMeasuredIsWhatIsPassed() {
        var measured: Set<Int> = []
        let blocks = Viewport.Blocks(count: 10_000) { block in
            measured.insert(block)
            return 2
        }
        var viewport = Viewport(rows: 20)

        viewport.scroll(by: -20, of: blocks)

        #expect(measured.count <= 24)
    }

    @Test(arguments: UInt64(0)..<300)
    func scrollingIsMovingAWindowOverTheLines(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let heights = (0..<Int.random(in: 1...12, using: &random)).map { _ in Int.random(in: 0...4, using: &random) }
        let lines = all(heights)
        var viewport = Viewport(rows: Int.random(in: 1...9, using: &random))
        var top = max(0, lines.count - viewport.rows)

        for _ in 0..<20 {
            let step = Int.random(in: -7...7, using: &random)
            viewport.scroll(by: step, of: blocks(heights))
            top = min(max(0, top + step), max(0, lines.count - viewport.rows))
            #expect(seen(&viewport, heights) == Array(lines[top..<min(lines.count, top + viewport.rows)]))
        }
    }

    @Test(arguments: UInt64(0)..<300)
    func aRevealedBlockIsSeenWhole(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let heights = (0..<12).map { _ in Int.random(in: 1...4, using: &random) }
        var viewport = Viewport(rows: Int.random(in: 4...9, using: &random))

        for _ in 0..<10 {
            let block = Int.random(in: 0..<12, using: &random)
            viewport.reveal(block, of: blocks(heights))
            let lines = seen(&viewport, heights)
            #expect(lines.filter { $0[0] == block }.count == heights[block])
            #expect(lines.count == min(viewport.rows, heights.reduce(0, +)))
        }
    }
}
