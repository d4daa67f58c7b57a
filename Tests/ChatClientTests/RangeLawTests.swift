import ChatWire
import Diffable
import Replicas
import Testing

@testable import ChatClient

/// A reader that goes away and comes back, and jumps about in the room meanwhile.
@Suite struct RangeLawTests {
    /// A session, the room that it follows, and all that must hold whenever it tells of a change.
    struct Reader {
        var probe = SessionProbe.ready()
        var room: ModelRoom
        var asked: [ClientFrame] = []
        var view: RoomView?
        /// A snapshot that every change was applied to.
        var shown = Snapshot<Message.Section, RoomItem>()
        var newestPage: Revision = 0
        var gapsSeen = 0

        init(seed: UInt64) {
            room = ModelRoom(seed: seed)
            room.write(120)
            tell(.open(SessionProbe.room, limit: 40))
            answerAll()
        }

        mutating func tell(_ input: SessionInput) {
            if case .received(.page(_, _, _, let page as ListPage<Message>)) = input {
                newestPage = max(newestPage, page.revision)
            }
            for effect in probe.session.handle(input, at: probe.now) {
                switch effect {
                case .send(let frame): asked.append(frame)
                case .changed(let change as RoomChange): check(change)
                case .notice(.resynchronizing(_, let error)): Issue.record("it lost track: \(error)")
                default: break
                }
            }
        }

        mutating func answerAll() {
            while !asked.isEmpty {
                if let answer = room.answer(asked.removeFirst()) { tell(.received(answer)) }
            }
        }

        mutating func hearNews() {
            guard let view, view.revision < room.revision else { return }
            tell(.received(.diff(ref: nil, SessionProbe.list, SessionProbe.epoch, room.diff(since: view.revision))))
        }

        mutating func comeBack() {
            asked = []
            tell(.disconnected(.silent))
            probe.now = probe.session.deadline ?? probe.now
            tell(.tick)
            tell(.connected)
            guard let hello = asked.popLast() else { return }
            tell(.received(.welcome(ref: hello.ref, probe.welcome)))
        }

        // MARK: - What must hold

        private mutating func check(_ change: RoomChange) {
            let items = Set(view?.snapshot.itemIdentifiers ?? [])
            let gone = change.changes.deleted.map { RoomItem.message($0) } + change.gaps.closed.map { .gap($0.id) }
            let come = change.changes.inserted.map { RoomItem.message($0) } + change.gaps.appeared.map { .gap($0.id) }
            #expect(items.subtracting(gone).union(come) == Set(change.view.snapshot.itemIdentifiers))
            change.apply(to: &shown)
            #expect(shown == change.view.snapshot)
            #expect(shown.reloadedItemIdentifiers == change.snapshot.reloadedItemIdentifiers)
            #expect(shown.reconfiguredItemIdentifiers == change.snapshot.reconfiguredItemIdentifiers)
            view = change.view
            gapsSeen += change.gaps.appeared.count
            checkPlaces(change.view)
            guard change.view.revision >= newestPage else { return }
            let ranges = change.view.replica.held.ranges
            let right = room.states[change.view.revision]?.filter { row in
                ranges.contains { $0.contains(row.sort) }
            }
            #expect(change.view.messages.map(\.anywhere) == right?.map(\.anywhere))
        }

        /// Each gap stands between the messages that it divides.
        private func checkPlaces(_ view: RoomView) {
            var last: UInt64 = 0
            for item in view.snapshot.itemIdentifiers {
                switch item {
                case .message(let id):
                    let sort = view[id]?.sort ?? 0
                    #expect(sort > last)
                    last = sort
                case .gap(let id):
                    guard let gap = view.gaps.first(where: { $0.id == id }) else {
                        Issue.record("gap \(id) is not there")
                        return
                    }
                    #expect(last <= gap.after)
                    last = gap.before - 1
                }
            }
        }
    }

    @Test(arguments: UInt64(0)..<40)
    func whatIsHeldIsRightAndWhatIsNotIsAGap(seed: UInt64) {
        var reader = Reader(seed: seed)
        var random = SeededGenerator(seed: seed &+ 1_000)
        for _ in 0..<30 {
            reader.room.write(Int.random(in: 0...90, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: reader.hearNews()
            case 2, 3: reader.comeBack()
            default: reader.tell(page(of: reader, &random))
            }
            let place = reader.view?.messages.randomElement(using: &random)?.id
            reader.tell(.look(SessionProbe.room, at: place))
            if random.chance(0.8) { reader.answerAll() }
        }
        reader.comeBack()
        reader.answerAll()
        readAll(&reader)

        #expect(reader.view?.messages.map(\.anywhere) == reader.room.rows.map(\.anywhere))
        #expect(reader.gapsSeen > 0)
    }

    private func page(of reader: Reader, _ random: inout SeededGenerator) -> SessionInput {
        let page: RoomPage
        switch Int.random(in: 0..<6, using: &random) {
        case 0: page = .older
        case 1: page = .around(.id(SessionProbe.id(.random(in: 1...reader.room.revision, using: &random))))
        case 2: page = .around(.revision(.random(in: 0...reader.room.revision, using: &random)))
        default:
            guard let gap = reader.view?.gaps.randomElement(using: &random) else { return .tick }
            page = .gap(gap.id, from: random.chance(0.5) ? .beginning : .end)
        }
        return .page(SessionProbe.room, page, limit: 40)
    }

    /// Loads all that is missing. Each page makes a gap smaller or closes it.
    private func readAll(_ reader: inout Reader) {
        for _ in 0..<1_000 {
            guard let view = reader.view, view.hasOlder || !view.gaps.isEmpty else { return }
            let page = view.gaps.last.map { RoomPage.gap($0.id, from: .end) } ?? .older
            reader.tell(.page(SessionProbe.room, page, limit: 40))
            reader.answerAll()
        }
        Issue.record("there is always more to load")
    }

    /// Whoever reads from a gap's end sees its row go up, and it is the same row until nothing is left of it.
    @Test(arguments: [RoomPage.Side.beginning, .end])
    func aGapKeepsItsNameUntilItIsFilled(side: RoomPage.Side) throws {
        var reader = Reader(seed: 7)
        reader.room.write(300)
        reader.comeBack()
        reader.answerAll()
        let gap = try #require(reader.view?.gaps.first)
        #expect(reader.view?.gaps.count == 1)

        while reader.view?.gaps.isEmpty == false {
            #expect(reader.view?.gaps.map(\.id) == [gap.id])
            reader.tell(.page(SessionProbe.room, .gap(gap.id, from: side), limit: 40))
            reader.answerAll()
        }

        #expect(reader.gapsSeen == 1)
        let first = try #require(reader.view?.messages.first?.sort)
        #expect(reader.view?.messages.map(\.anywhere) == reader.room.rows.filter { $0.sort >= first }.map(\.anywhere))
    }
}

extension Message {
    /// The row without its section, which depends on when a reader joined.
    fileprivate var anywhere: Message {
        var row = self
        row.section = .socket
        return row
    }
}
