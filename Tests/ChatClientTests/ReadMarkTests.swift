import ChatClient
import ChatWire
import Testing

/// What somebody has read gets to the server, whatever the server answers first.
struct ReadMarkTests {
    private typealias Probe = SessionProbe

    @Test func aMarkThatTheServerHasNoTimeForIsToldAgain() {
        var probe = Probe.live()
        #expect(probe.tell(.read(Probe.room, 3)) == [.send(3, .read(Probe.room, 3))])

        probe.tell(.received(.error(ref: 3, WireError(.sends, "wait", retryAfter: 100))))

        #expect(probe.session.deadline == 100)
        #expect(probe.tick(at: 99) == [])
        #expect(probe.tick(at: 100) == [.send(4, .read(Probe.room, 3))])
        #expect(probe.tell(.received(.ok(ref: 4, nil))) == [])
        #expect(probe.tick(at: 1_000) == [])
    }

    @Test func aMarkThatTheServerRefusesIsNotToldAgain() {
        var probe = Probe.live()
        probe.tell(.read(Probe.room, 3))

        probe.tell(.received(.error(ref: 3, WireError(.invalid, "the room is only at 2 yet"))))

        #expect(probe.tick(at: 1_000) == [])
    }

    @Test func aLaterMarkTakesThePlaceOfOneThatWaits() {
        var probe = Probe.live()
        probe.tell(.read(Probe.room, 2))
        probe.tell(.received(.error(ref: 3, WireError(.sends, "wait", retryAfter: 100))))

        #expect(probe.tell(.read(Probe.room, 3)) == [.send(4, .read(Probe.room, 3))])

        #expect(probe.tick(at: 100) == [])
    }

    @Test func aMarkOfAHistoryThatIsGoneIsNotToldAgain() {
        var probe = Probe.live()
        probe.tell(.read(Probe.room, 3))
        probe.tell(.received(Probe.snapshot(ref: nil, of: 1...2, epoch: Epoch("other")!, why: .epoch)))

        probe.tell(.received(.error(ref: 3, WireError(.sends, "wait", retryAfter: 100))))

        #expect(probe.tick(at: 100) == [])
        #expect(probe.session.deadline != 100)
    }

    @Test func allIsReadNowOrNotAtAll() {
        var probe = Probe.ready()
        #expect(probe.tell(.readAll(Probe.room)) == [.send(2, .read(Probe.room, nil))])
        probe.tell(.received(.error(ref: 2, WireError(.sends, "wait", retryAfter: 100))))
        #expect(probe.session.deadline == 100)
        #expect(probe.tick(at: 100) == [.send(3, .read(Probe.room, nil))])

        probe.tell(.received(.error(ref: 3, WireError(.sends, "wait", retryAfter: 100))), .disconnected(.silent))
        #expect(probe.tell(.readAll(Probe.room)) == [])
        _ = probe.tick(at: 1_000)
        probe.tell(.connected)
        let effects = probe.tell(.received(.welcome(ref: 4, probe.welcome)))

        #expect(effects.count == 1)
        #expect(probe.tick(at: 2_000) == [])
    }

    @Test func manyRoomsAreReadWithOneRequestAndARefusedOneByItself() {
        var probe = Probe.ready()
        let rooms = (1...201).map { RoomName("room-\($0)")! }
        #expect(
            probe.tell(.readRooms(rooms)) == [
                .send(2, .readRooms(Array(rooms[..<200]))), .send(3, .readRooms([rooms[200]])),
            ])

        let busy = WireError(.sends, "wait", retryAfter: 100)
        let results = rooms[..<200].map { room in
            ServerFrame.RoomRead(room: room, result: room == rooms[7] ? .failure(busy) : .success(9))
        }
        #expect(probe.tell(.received(.roomsRead(ref: 2, results))) == [])
        #expect(probe.tick(at: 100) == [.send(4, .read(rooms[7], nil))])

        let gone = WireError(.notMember, "no member")
        let effects = probe.tell(.received(.roomsRead(ref: 3, [.init(room: rooms[200], result: .failure(gone))])))
        #expect(effects == [.notice(.readRefused(rooms[200], gone))])
    }

    @Test func inAnotherHistoryNothingHasBeenReadYet() {
        var probe = Probe.live()
        probe.tell(.read(Probe.room, 3))
        probe.tell(.received(.ok(ref: 3, nil)))

        let other = Probe.snapshot(ref: nil, of: 1...2, epoch: Epoch("other")!, why: .epoch)
        probe.tell(.received(other))

        #expect(probe.tell(.read(Probe.room, 2)) == [.send(4, .read(Probe.room, 2))])
    }
}
