/// The part of a list that a window shows.
///
/// The list is a column of blocks (rows and headers), each with some lines. The window is held by the block at its top,
/// or by the end of the list. Blocks above it are never measured, so they may come, go and change their height without
/// moving anything.
///
/// - Complexity: each operation measures the blocks that it passes, and those that the window shows.
package struct Viewport: Equatable, Sendable {
    package enum Position: Equatable, Sendable {
        /// The last line of the list is the last of the window, also when more blocks arrive.
        case end
        /// The window begins with this line of this block.
        case top(Place)
    }

    package struct Place: Equatable, Sendable {
        package var block: Int
        package var line: Int

        package init(block: Int, line: Int) {
            self.block = block
            self.line = line
        }
    }

    /// The lines that the window shows of one block.
    package struct Slice: Equatable, Sendable {
        package let block: Int
        package let lines: Range<Int>
    }

    /// The blocks of the list, measured on demand.
    package struct Blocks {
        package let count: Int
        package let height: (Int) -> Int

        package init(count: Int, height: @escaping (Int) -> Int) {
            self.count = count
            self.height = height
        }
    }

    package var position = Position.end
    /// The number of lines in the window.
    package var rows: Int

    package init(rows: Int) {
        self.rows = rows
    }

    /// Returns the window's slices from its top. If too few lines are left below its top, the window moves to the end.
    package mutating func slices(of blocks: Blocks) -> [Slice] {
        if case .top(let place) = position {
            let slices = slices(of: blocks, from: place)
            let reachesEnd = slices.reduce(0) { $0 + $1.lines.count } < rows || isEnd(slices.last, blocks)
            if !reachesEnd { return slices }
            position = .end
        }
        return slices(of: blocks, from: topAtEnd(blocks))
    }

    /// Moves the window, upwards for a negative number. It stops at either end.
    package mutating func scroll(by lines: Int, of blocks: Blocks) {
        guard blocks.count > 0 else { return }
        let top = top(of: blocks)
        position = .top(lines < 0 ? up(-lines, from: top, blocks) : down(lines, from: top, blocks))
        _ = slices(of: blocks)
    }

    /// Moves the window by the least that shows a whole block, or as much of it as fits.
    package mutating func reveal(_ block: Int, of blocks: Blocks) {
        let shown = slices(of: blocks).first { $0.block == block }
        let height = blocks.height(block)
        if let shown, shown.lines == 0..<height { return }
        let isAbove = block < top(of: blocks).block || shown?.lines.lowerBound ?? 0 > 0
        let start = Place(block: block, line: 0)
        position = .top(isAbove || height >= rows ? start : up(rows - height, from: start, blocks))
        _ = slices(of: blocks)
    }

    /// Moves the window so that a block is in its middle, unless it shows all of it.
    package mutating func center(_ block: Int, of blocks: Blocks) {
        let height = blocks.height(block)
        if let shown = slices(of: blocks).first(where: { $0.block == block }), shown.lines == 0..<height { return }
        position = .top(up(max(0, rows - height) / 2, from: Place(block: block, line: 0), blocks))
        _ = slices(of: blocks)
    }

    /// Returns the place at the top of the window.
    package func top(of blocks: Blocks) -> Place {
        if case .top(let place) = position { place } else { topAtEnd(blocks) }
    }

    private func topAtEnd(_ blocks: Blocks) -> Place {
        up(rows, from: Place(block: blocks.count, line: 0), blocks)
    }

    private func slices(of blocks: Blocks, from top: Place) -> [Slice] {
        var slices: [Slice] = []
        var left = rows
        var place = top
        while left > 0, place.block < blocks.count {
            let height = blocks.height(place.block)
            let first = min(place.line, max(0, height - 1))
            let lines = first..<min(height, first + left)
            if !lines.isEmpty { slices.append(Slice(block: place.block, lines: lines)) }
            left -= lines.count
            place = Place(block: place.block + 1, line: 0)
        }
        return slices
    }

    private func isEnd(_ slice: Slice?, _ blocks: Blocks) -> Bool {
        guard let slice, slice.lines.upperBound == blocks.height(slice.block) else { return slice == nil }
        return (slice.block + 1..<max(slice.block + 1, blocks.count)).allSatisfy { blocks.height($0) == 0 }
    }

    private func up(_ lines: Int, from place: Place, _ blocks: Blocks) -> Place {
        var place = place
        var left = lines
        while left > place.line, place.block > 0 {
            left -= place.line
            place.block -= 1
            place.line = blocks.height(place.block)
        }
        place.line = max(0, place.line - left)
        return place
    }

    private func down(_ lines: Int, from place: Place, _ blocks: Blocks) -> Place {
        var place = place
        var left = lines
        while place.block < blocks.count - 1, place.line + left >= blocks.height(place.block) {
            left -= max(0, blocks.height(place.block) - place.line)
            place = Place(block: place.block + 1, line: 0)
        }
        place.line += left
        return place
    }
}
