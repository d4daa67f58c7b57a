import ChatRoom
import ChatServer
import ChatWire

// The faults that are put in on purpose on the way to people's lists of rooms.

extension World {
    /// The messages that arrive.
    func kept(_ messages: [(shard: Int, message: ShardMessage)], of server: Server) -> [(
        shard: Int, message: ShardMessage
    )] {
        guard suffers(.lostNews) else { return messages }
        return messages.filter { shard, message in
            switch message {
            case .changed(let room, let news, _):
                server.missed.lose(news, of: room, to: shard, at: clock.now)
                return false
            case .announced: return false
            case .watch, .unwatch, .watched, .occupied, .marked: return true
            }
        }
    }

    /// The read marks that are put on disk.
    func kept(
        _ marks: [(mark: ReadMark, epoch: Epoch)], by server: Server
    ) -> [(mark: ReadMark, epoch: Epoch)] {
        guard suffers(.lostMark) else { return marks }
        server.missed.lose(marks.map(\.mark))
        return []
    }

    func falsified(_ reading: MembershipReading, on disk: Disk) -> MembershipReading {
        guard suffers(.mentionTwice) else { return reading }
        return MembershipReading(
            room: reading.room, user: reading.user, revision: reading.revision, joined: reading.joined,
            time: reading.time, read: reading.read, settings: reading.settings, unread: reading.unread,
            mentions: reading.mentions + disk.truth(of: reading.room).editedMentions(of: reading.user),
            last: reading.last, activity: reading.activity, standing: reading.standing)
    }

    /// Counts the strikes of what was lost on the way to lists of rooms: those that make a difference at the end.
    func noteStrikes() {
        for client in clients {
            if sabotage == .staleMention, showsStaleMention(client) { strikes += 1 }
            guard let link = client.link, let listed = link.listed else { continue }
            let server = link.server
            let shard = server.map.shard(of: client.user)
            for room in rooms {
                let truth = disk.truth(of: room)
                guard let light = truth.light(of: client.user) else { continue }
                let isMissed =
                    switch sabotage {
                    case .lostNews?: server.missed.hasLost(truth.rows.last, of: room, onShard: shard, since: listed)
                    case .lostMark?:
                        truth.roster.isUnmarked(by: client.user, since: client.hasRead[room]?.revision ?? 0)
                            && server.missed.hasLostMark(
                                of: client.user, in: room, above: light.read, upTo: client.hasRead[room])
                    case .mentionTwice?:
                        server.missed.mentions(of: client.user, in: room, above: light.read) ?? 0 > light.mentions
                    default: false
                    }
                if isMissed { strikes += 1 }
            }
        }
    }
}
