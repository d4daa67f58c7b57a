import ChatClient
import ChatWire

/// One person's client: a real session in a virtual process.
final class Client {
    let index: Int
    let user: UserName
    let process: Process
    var session: ClientSession
    var link: Link?
    /// The earliest time at which the session is told the time.
    var tickAt: Milliseconds = .max

    var given: [Command] = []
    var outcomes: [CommandID: Command.Outcome] = [:]
    var rooms: [RoomName: Followed] = [:]
    /// The last state of the list of its user's rooms, if it follows that.
    var followsRooms = false
    var ownRooms: RoomsView?
    /// The same of the list of the messages that mention its user.
    var followsMentions = false
    var ownMentions: MentionsView?
    /// Its read marks, of the rooms that it has not left since.
    var hasRead: [RoomName: Mark] = [:]
    /// The rooms in which it ever began to write.
    var hasTyped: Set<RoomName> = []
    /// The lists of rooms' people that it follows.
    var people: [RoomName: MembersView] = [:]
    /// The rooms whose pinned messages it follows, and the last state of those.
    var followsPins: Set<RoomName> = []
    var pins: [RoomName: PinsView] = [:]
    /// Refs that the network made up, and how many.
    var repeats: UInt64 = 0

    /// The rows that it holds of a room.
    struct Followed {
        var view: RoomView?
        /// A page of this revision was merged: what is held may be ahead of its revision until then.
        var newestPage: Revision = 0
    }

    struct Mark {
        let revision: Revision
        let epoch: Epoch

        init(_ revision: Revision, in epoch: Epoch, after last: Mark?) {
            self.revision = last?.epoch == epoch ? max(revision, last?.revision ?? 0) : revision
            self.epoch = epoch
        }
    }

    init(_ index: Int, named user: UserName, seed: UInt64, _ clock: Clock) {
        self.index = index
        self.user = user
        process = Process(clock)
        session = ClientSession(credential: .user(user), backoff: Backoff(seed: seed &+ UInt64(index)))
    }
}
