import ChatClient
import ChatWire
import Diffable
import Replicas
import Testing

/// A reader of their rooms who goes away and comes back, to a server that forgets now and then.
@Suite struct RoomsLawTests {
    /// A session, the rooms that it follows, and all that must hold whenever it tells of a change.
    struct Reader {
        var probe = SessionProbe.ready()
        var rooms: ModelRooms
        var asked: [ClientFrame] = []
        var view: RoomsView?
        var causes: [RoomChange.Cause] = []

        init(seed: UInt64) {
            rooms = ModelRooms(seed: seed)
            rooms.write(60)
            tell(.openRooms(limit: 100))
            answerAll()
        }

        mutating func tell(_ input: SessionInput) {
            for effect in probe.session.handle(input, at: probe.now) {
                switch effect {
                case .send(let frame): asked.append(frame)
                case .changed(let change as RoomsChange): check(change)
                case .notice(let notice): Issue.record("\(notice)")
                default: break
                }
            }
        }

        mutating func answerAll() {
            while !asked.isEmpty {
                if let answer = rooms.answer(asked.removeFirst()) { tell(.received(answer)) }
            }
        }

        mutating func hearNews() {
            guard let view, view.revision < rooms.revision else { return }
            tell(.received(rooms.news(since: view.revision)))
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

        /// The rooms are the server's, and the change tells all that is other than before.
        private mutating func check(_ change: RoomsChange) {
            causes.append(change.cause)
            let now = change.view
            let all = Array(rooms.rows.reversed())
            #expect(now.rooms == all.filter { $0.section == .rooms })
            #expect(now.invitations == all.filter { $0.section == .invited })
            #expect(now.unread == now.rooms.reduce(0) { $0 + $1.light.unread })
            #expect(change.snapshot.itemIdentifiers == now.all.map(\.id))
            let (old, new) = (view?.all ?? [], now.all)
            #expect(Set(change.changes.deleted) == Set(old.map(\.id)).subtracting(new.map(\.id)))
            #expect(Set(change.changes.inserted) == Set(new.map(\.id)).subtracting(old.map(\.id)))
            let kept = new.compactMap { row in view?[row.id].map { (before: $0, row: row) } }
            #expect(Set(change.changes.moved) == Set(kept.filter { !$0.before.isPlaced(as: $0.row) }.map(\.row.id)))
            let touched = kept.filter { $0.before.light != $0.row.light }.map(\.row.id)
            #expect(Set(change.changes.reconfigured) == Set(touched))
            #expect(change.changes.reloaded.isEmpty)
            view = now
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func theRoomsAreTheServersAfterWhateverHappened(seed: UInt64) {
        var (reader, random) = (Reader(seed: seed), SeededGenerator(seed: ~seed))

        for step in 1...40 {
            reader.rooms.write(.random(in: 1...12, using: &random))
            let forgets = step.isMultiple(of: 13)
            if forgets || random.chance(0.3) {
                reader.comeBack()
                if forgets { reader.rooms.forget(as: Epoch("epoch-\(step)")!) }
                reader.answerAll()
            } else {
                reader.hearNews()
            }
            #expect(reader.view?.revision == reader.rooms.revision)
        }

        #expect(reader.causes.contains(.caughtUp) && reader.causes.contains(.snapshot(.epoch)))
    }
}

extension MyRoom {
    func isPlaced(as other: MyRoom) -> Bool { (section, sort) == (other.section, other.sort) }
}
