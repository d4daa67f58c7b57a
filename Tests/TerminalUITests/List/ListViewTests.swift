import Diffable
import TerminalUI
import TestSupport
import Testing

@Suite struct ListViewTests {
    @Test func rowsAndHeadersStandInOrderAtTheBottom() {
        let world = ListWorld(rows: 6)
        world.headers = ["new": "-- new --"]

        world.show(["old": [1, 2], "new": [3]])

        #expect(world.screen() == ["", "", " 1", " 2", "-- new --", " 3"])
    }

    @Test func itFollowsTheEnd() {
        let world = ListWorld(rows: 2)
        world.show(["a": [1, 2, 3]])
        #expect(world.screen() == [" 2", " 3"])

        world.change { $0.appendItems([4]) }

        #expect(world.screen() == [" 3", " 4"])
        #expect(world.view.unseen == 0)
    }

    @Test func scrolledUpItStaysAndCountsWhatIsNew() {
        let world = ListWorld(rows: 2)
        world.show(["a": [1, 2, 3, 4]])
        _ = world.screen()
        world.view.scroll(by: -2)

        world.change { $0.appendItems([5, 6]) }

        #expect(world.screen() == [" 1", " 2"])
        #expect(world.view.unseen == 2)
        world.view.scroll(by: 3)
        #expect(world.screen() == [" 4", " 5"])
        #expect(world.view.unseen == 1)
        world.view.scroll(by: 1)
        #expect(world.screen() == [" 5", " 6"])
        #expect(world.view.isFollowing)
    }

    @Test func olderRowsInFrontMoveNothing() {
        let world = ListWorld(rows: 2)
        world.show(["a": [10, 11, 12, 13]])
        world.view.scroll(by: -2)
        #expect(world.screen() == [" 10", " 11"])

        world.change { $0.insertItems(Array(1...9), beforeItem: 10) }

        #expect(world.screen() == [" 10", " 11"])
        world.view.scroll(by: -1)
        #expect(world.screen() == [" 9", " 10"])
    }

    /// Row 0 stands for rows that are not there. Whoever comes to it from below sees what is below stay, and whoever
    /// comes from above sees what is above stay.
    @Test(arguments: UInt64(0)..<200)
    func aRowInTheMiddleIsFilledAndWhatIsReadStays(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let world = ListWorld(rows: Int.random(in: 4...12, using: &random))
        for item in 0..<300 {
            world.texts[item] = (0..<Int.random(in: 1...3, using: &random)).map { "\(item).\($0)" }
        }
        world.show(["a": Array(1...40) + [0] + Array(61...100)])
        world.view.select(0)
        let rest = Int.random(in: 0..<world.view.size.rows, using: &random)
        world.view.scroll(by: Bool.random(using: &random) ? rest : -rest)
        world.view.select(nil)
        let (isFromBelow, isAll) = (Bool.random(using: &random), Bool.random(using: &random))
        world.view.heldBelow = isFromBelow ? 0 : nil
        let before = world.screen()

        world.change { snapshot in
            if isFromBelow { snapshot.insertItems(Array(41...60), afterItem: 0) }
            if !isFromBelow { snapshot.insertItems(Array(41...60), beforeItem: 0) }
            if isAll { snapshot.deleteItems([0]) }
        }

        let after = world.screen()
        guard let gap = before.firstIndex(where: { $0.hasPrefix(" 0.") }) else { return }
        let kept = isFromBelow ? before.indices.filter { $0 > gap && !before[$0].hasPrefix(" 0.") } : Array(0..<gap)
        for line in kept { #expect(after[line] == before[line]) }
    }

    @Test func aRowThatIsShownIsInTheMiddleUnlessItIsSeenAlready() {
        let world = ListWorld(rows: 5)
        world.show(["a": Array(1...20)])

        world.view.show(7)
        #expect(world.screen() == [" 5", " 6", "▌7", " 8", " 9"])
        world.view.show(9)
        #expect(world.screen() == [" 5", " 6", " 7", " 8", "▌9"])
        #expect(world.view.visibleItems == [5, 6, 7, 8, 9])
    }

    @Test func rowsThatChangeAboveTheWindowMoveNothing() {
        let world = ListWorld(rows: 2)
        world.show(["a": [1, 2, 3, 4, 5]])
        world.view.scroll(by: -1)
        #expect(world.screen() == [" 3", " 4"])

        world.texts[2] = ["two", "lines"]
        world.change { snapshot in
            snapshot.reloadItems([2])
            snapshot.deleteItems([1])
        }

        #expect(world.screen() == [" 3", " 4"])
    }

    @Test func whenTheRowAtTheTopGoesTheNextTakesItsPlace() {
        let world = ListWorld(rows: 2)
        world.show(["a": [1, 2, 3, 4, 5, 6]])
        world.view.scroll(by: -3)
        #expect(world.screen() == [" 2", " 3"])

        world.change { $0.deleteItems([2, 3]) }

        #expect(world.screen() == [" 4", " 5"])
    }

    @Test func aRowThatMovesAwayTakesNobodyWithIt() {
        let world = ListWorld(rows: 2)
        world.show(["a": [1, 2, 3, 4, 5, 6]])
        world.view.scroll(by: -3)

        world.change { $0.moveItem(2, afterItem: 6) }

        #expect(world.screen() == [" 3", " 4"])
    }

    @Test func onlyWhatChangedIsMadeAnew() {
        let world = ListWorld(rows: 4)
        world.show(["a": Array(1...1000)])
        _ = world.screen()
        #expect(world.takeMade().count <= 5)

        world.change { $0.reconfigureItems([999]) }
        _ = world.screen()
        #expect(world.takeMade() == [999])

        world.change { $0.appendItems([1001]) }
        _ = world.screen()
        #expect(world.takeMade() == [1001])

        world.change { $0.reloadItems([3]) }
        _ = world.screen()
        #expect(world.takeMade() == [])
    }

    @Test func reconfigureStaysInPlaceAndReloadLaysOutAgain() {
        let world = ListWorld(rows: 4)
        world.show(["a": [1, 2]])
        _ = world.screen()
        world.texts[1] = ["one", "more"]

        world.change { $0.reconfigureItems([1]) }
        #expect(world.screen() == ["", "", " one", " 2"])

        world.change { $0.reloadItems([1]) }
        #expect(world.screen() == ["", " one", " more", " 2"])
    }

    @Test func heightsMayComeFromAClosure() {
        let world = ListWorld(rows: 4)
        world.texts = [1: ["a", "b", "c"]]
        world.show(["a": [1, 2]])

        world.view.rowHeight = .fixed { _, item in item == 1 ? 1 : 2 }

        #expect(world.screen() == ["", " a", " 2", ""])
    }

    @Test func whatIsNewAndWhatIsGoneIsSeenForAWhile() {
        let world = ListWorld(rows: 4)
        world.show(["a": [1, 2, 3]])
        _ = world.screen()

        world.change(animated: true) { snapshot in
            snapshot.deleteItems([2])
            snapshot.appendItems([4])
        }
        #expect(world.screen() == [" 1", "✕2", " 3", "▌4"])

        while world.view.isFading { world.view.fade() }
        #expect(world.screen() == ["", " 1", " 3", " 4"])
    }

    @Test func aMovedRowIsMarked() {
        let world = ListWorld(rows: 3)
        world.show(["a": [1, 2, 3]])

        world.change(animated: true) { $0.moveItem(1, afterItem: 3) }

        #expect(world.screen() == [" 2", " 3", "↕1"])
    }

    @Test func theCompletionIsCalledWhenNothingIsLeftToSee() {
        let world = ListWorld(rows: 3)
        world.show(["a": [1]])
        var snapshot = world.source.snapshot()
        snapshot.appendItems([2])
        var isDone = false

        world.source.apply(snapshot) { isDone = true }
        #expect(!isDone)

        while world.view.isFading { world.view.fade() }
        #expect(isDone)
    }

    @Test func choosingGoesByRowAndBringsItIntoTheWindow() {
        let world = ListWorld(rows: 2)
        world.headers = ["b": "--"]
        world.show(["a": [1, 2], "b": [3, 4]])

        let isChosen = (0..<4).map { _ in world.view.select(next: .up) }

        #expect(isChosen == [true, true, true, true])
        #expect(world.view.selection == 1)
        #expect(world.screen() == ["▌1", " 2"])
        #expect(world.view.select(next: .up) == false)
    }

    @Test func whenTheChosenRowGoesTheNextIsChosen() {
        let world = ListWorld(rows: 3)
        world.show(["a": [1, 2, 3]])
        world.view.select(2)

        world.change { $0.deleteItems([2]) }
        #expect(world.view.selection == 3)

        world.change { $0.deleteItems([3]) }
        #expect(world.view.selection == 1)
    }
}
