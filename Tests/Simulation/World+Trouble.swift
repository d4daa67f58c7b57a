import ChatClient
import ChatRoom
import ChatWire
import RoomStore

// What goes wrong, and how it ends.

extension World {
    /// Plays the schedule: a room with a past, people, trouble; then calm, in which everything must come right.
    func play() {
        remember()
        start()
        gather(acts: 40)
        clock.after(upTo(weather.calm)) { self.trouble() }
        run(for: 40 * 400)
        calmDown()
        run(for: 12_000)  // until whoever was stopped goes on
        let end = clock.now + 300_000
        while clock.now < end, !isSettled { clock.step() }
        run(for: 1_000)
        conclude(whatIsWrong)
        clock.stop()
    }

    private func run(for time: Milliseconds) {
        let end = clock.now + time
        while clock.now < end { clock.step() }
    }

    /// What was said before anybody of these came.
    private func remember() {
        let author = UserName("before")!
        var past = (0..<Int.random(in: 0...50, using: &random)).map { number in
            Operation(
                command: .random(using: &random), author: author, role: .write, time: timeOfDay,
                action: .send(text: "number \(number)", replyTo: nil))
        }
        if weather.isModerated { past.append(appointment) }
        guard let outcomes = try? disk.commit(past) else { return complain("there is no past") }
        check(disk.confirm(past), against: outcomes)
    }

    private func start() {
        let server = Server(on: disk, in: self)
        servers.append(server)
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
        case .stoppedServer: server?.process.stop(for: upTo(4_000))
        case .crash: crash()
        case .slowDisk: slowUntil = clock.now + upTo(4_000)
        case .failingDisk: failsUntil = clock.now + upTo(2_000)
        case .clockJump: clockError += .random(in: -86_400_000...86_400_000, using: &random)
        case .newDisk: replaceDisk()
        }
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

    /// What the server had given to the network may arrive, or not.
    private func crash() {
        guard let crashed = server else { return }
        crashed.process.kill()
        for link in crashed.links.values.sorted(by: { $0.number < $1.number }) {
            if Bool.random(using: &random) { cut(link) } else { link.down.put(.closed(code: 1006), after: latency()) }
        }
        clock.after(upTo(3_000)) { [self] in
            guard server == nil else { return }
            do throws(RoomStoreError) {
                try disk.restart(losing: disk.log.contains(where: \.isOperation) && strikes(.lostCommit) ? 1 : 0)
                start()
            } catch {
                complain("the disk cannot be read: \(error)")
            }
        }
    }

    private func replaceDisk() {
        guard server != nil else { return }
        disk = Disk(disks.count + 1, room: Self.room, limits: weather.limits)
        disks[disk.epoch] = disk
        crash()
    }

    /// Nothing goes wrong any more, and everybody is there.
    private func calmDown() {
        weather.calmDown()
        (slowUntil, failsUntil) = (0, 0)
        clock.after(9_000) { [self] in
            if weather.isModerated { forgive() }
            for client in clients {
                tell(client, .start)
                tell(client, .open(Self.room, limit: 32))
            }
            send("the last word", from: clients[0])  // whoever missed what was before it notices now
        }
    }

    private var isSettled: Bool {
        let isTrimmed = weather.kept.map { disk.truth.rows.count <= $0 } ?? true
        return isTrimmed
            && clients.allSatisfy { client in
                let view = client.session.view(of: Self.room)
                guard let link = client.link, view?.epoch == disk.epoch else { return false }
                return view?.revision == disk.truth.revision && client.session.unanswered == 0
                    && link.asked.count == link.answered.count
            }
    }
}
