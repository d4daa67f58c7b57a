import ChatClient
import ChatRoom
import ChatWire
import RoomStore

// What goes wrong, and how it ends.

extension World {
    /// Plays the schedule: a room with a past, people, trouble; then calm, in which everything must come right.
    func play() {
        do throws(Standstill) { try playAll() } catch { complain("\(error)") }
        clock.stop()
    }

    private func playAll() throws(Standstill) {
        remember()
        foundClosedRoom()
        for _ in 0..<weather.servers { start() }
        gather(acts: 40)
        clock.after(upTo(weather.calm)) { self.trouble() }
        try run(for: 40 * 400)
        if let missed = weather.missed { try sleep(missing: missed) }
        calmDown()
        isCalm = true
        try run(for: 12_000)  // until whoever was stopped goes on
        try settle(rooms, within: 300_000)
        enterClosedRooms()
        try settle(allRooms, within: 60_000)
        if weather.hasMembers {
            try bringToOrder()
            try writeForAWhile()
        }
        try run(for: 1_000)
        try letListsComeRight()
        noteStrikes()
        conclude(whatIsWrong)
    }

    /// From the same seed: whatever differs then was not decided by it, but by the order of a hash table, say.
    func playAgain() {
        let again = World(seed: seed)
        again.play()
        if again.fingerprint != fingerprint { complain("played again it was another schedule") }
    }

    func run(for time: Milliseconds) throws(Standstill) {
        let end = clock.now + time
        while clock.now < end { try clock.step() }
    }

    private func remember() {
        for room in rooms {
            let batch = timed(past(of: room), on: disk).map { BatchEntry.operation($0) }
            past.formUnion(batch.operations.map(\.operation.command))
            guard let outcomes = try? disk.commit(batch, at: clock.now) else { return complain("there is no past") }
            check(disk.confirm(batch, at: clock.now), against: outcomes)
        }
    }

    private func start() {
        let server = Server(on: disk, in: self)
        servers.append(server)
        server.follow()
        if let count = weather.kept { server.trim(to: count) }
    }

    private func trouble() {
        guard let kind = weather.troubles.randomElement(using: &random) else { return }
        happen(kind)
        clock.after(upTo(weather.calm)) { self.trouble() }
    }

    private func happen(_ kind: Weather.Trouble) {
        let client = clients[Int.random(in: clients.indices, using: &random)]
        tell("\(kind), client \(client.index), connection \(client.link?.number ?? 0)")
        switch kind {
        case .cut: if let link = client.link { cut(link) }
        case .silence: if let link = client.link { silence(link) }
        case .stall: client.link?.stall(for: upTo(8_000))
        case .stoppedClient: client.process.stop(for: upTo(8_000))
        case .stoppedServer: anyServer()?.process.stop(for: upTo(4_000))
        case .crash: if let server = anyServer() { crash(server) }
        case .slowDisk: slowUntil = clock.now + upTo(4_000)
        case .failingDisk: failsUntil = clock.now + upTo(2_000)
        case .readOnlyDisk: readOnlyUntil = clock.now + upTo(6_000)
        case .hangingCommits: hangsUntil = clock.now + upTo(8_000)
        case .partition: anyServer()?.isolate(for: upTo(5_000))
        case .rumour: spread()
        case .failover: failOver()
        case .clockJump: jump()
        case .newDisk: replaceDisk()
        }
    }

    /// The clock jumps by seconds, a day or a year, ahead or back.
    private func jump() {
        let most: Milliseconds = [5_000, 86_400_000, 365 * 86_400_000].randomElement(using: &random)!
        clockError += .random(in: -most...most, using: &random)
    }

    private func cut(_ link: Link) {
        link.cut()
        link.client.process.after(upTo(2_000)) { self.lose(link) }
        link.server.process.after(upTo(5_000)) { link.server.lose(link) }
    }

    private func silence(_ link: Link) {
        link.cut()
        link.server.process.after(upTo(35_000)) { link.server.lose(link) }
    }

    /// Frames that the server had given to the network may or may not arrive.
    private func crash(_ crashed: Server) {
        crashed.process.kill()
        for link in crashed.links.values.sorted(by: { $0.number < $1.number }) {
            if Bool.random(using: &random) { cut(link) } else { link.down.put(.closed(code: 1006), after: latency()) }
        }
        clock.after(upTo(3_000)) { [self] in
            guard running.count < weather.servers else { return }
            do throws(RoomStoreError) {
                if running.isEmpty {
                    try disk.restart(losing: disk.log.contains { $0.operation != nil } && strikes(.lostCommit) ? 1 : 0)
                }
                start()
            } catch {
                complain("the disk cannot be read: \(error)")
            }
        }
    }

    private func replaceDisk() {
        let running = running
        guard !running.isEmpty else { return }
        goOn(with: Disk(disks.count + 1, limits: weather.limits, weather.disk))
        for server in running { crash(server) }
    }

    private func spread() {
        guard let server = anyServer() else { return }
        for room in rooms { server.announce(disk.truth(of: room).revision + 1 + UInt64(upTo(1_000)), of: room) }
    }

    /// The server goes on over the connections that it has, or starts anew.
    private func failOver() {
        let count = Int.random(in: 0...6, using: &random)
        do throws(RoomStoreError) {
            if suffers(.lostLogUnderSameEpoch) {
                strikes += disk.log.contains { $0.operation != nil } && count > 0 ? 1 : 0
                return try disk.restart(losing: count)
            }
            goOn(with: try disk.fork(disks.count + 1, losing: count))
            for server in running {
                if Bool.random(using: &random) { server.renew(on: disk) } else { crash(server) }
            }
        } catch {
            complain("there is no other history: \(error)")
        }
    }

    private func goOn(with next: Disk) {
        lost.formUnion(disk.operations(notIn: next).map(\.operation.command))
        pardoned.formUnion(refused)
        disk = next
        disks[next.epoch] = next
    }

    /// Nothing goes wrong any more, and everybody is there.
    private func calmDown() {
        weather.calmDown()
        (slowUntil, failsUntil, readOnlyUntil, hangsUntil) = (0, 0, 0, 0)
        for server in running { server.isolate(for: 0) }
        clock.after(9_000) { [self] in
            if weather.isModerated { forgive() }
            for client in clients {
                tell(client, .start)
                for room in allRooms { tell(client, .open(room, limit: 32)) }
                if client.followsRooms { tell(client, .openRooms(limit: 100)) }
                if client.followsMentions { tell(client, .follow(.myMentions)) }
            }
            // Whoever missed what was before it notices now.
            for room in rooms { send("the last word", to: room, from: clients[0]) }
            guard weather.hasMembers else { return }
            for client in clients where chance(0.5) {
                client.process.after(2_500) { for room in self.rooms { self.read(room, client) } }
            }
        }
    }

    /// Lets everybody come to the present, and then their lists of rooms, which have less time for it.
    func settle(_ rooms: [RoomName], within time: Milliseconds) throws(Standstill) {
        let end = clock.now + time
        while clock.now < end, !isSettled(rooms) { try clock.step() }
        try letListsComeRight()
    }

    private func isSettled(_ rooms: [RoomName]) -> Bool {
        clients.allSatisfy { client in
            guard let link = client.link, client.session.unanswered == 0 else { return false }
            return link.asked.count == link.answered.count
                && rooms.allSatisfy { !hasPlace(client.user, in: $0) || isSettled($0, for: client) }
        }
    }

    private func isSettled(_ room: RoomName, for client: Client) -> Bool {
        let truth = disk.truth(of: room)
        guard let view = client.session.view(of: room), weather.kept.map({ truth.rows.count <= $0 }) ?? true
        else { return false }
        return view.epoch == disk.epoch && view.revision == truth.revision
    }
}
