import ChatRoom
import ChatWire
import JSON
import RoomStore
import WebSocketTransport

// People's profiles and blocks, for the operator.

extension ChatServer {
    func showProfile(of user: UserName, _ id: RequestID) {
        load(about: nil, id) { (store) throws(RoomStoreError) in
            try store.profiles(of: [user])[user]
        } _: { json, stored in
            json.write(stored, of: user)
        }
    }

    /// Lists the users whom a user has blocked, and those who have blocked the user: a sender of notifications leaves these out.
    func listBlocks(of user: UserName, _ id: RequestID) {
        load(about: nil, id) { (store) throws(RoomStoreError) in
            (blocked: try store.blocks(of: [user])[user]?.map(\.user).sorted() ?? [], by: try store.blockers(of: user))
        } _: { json, found in
            json.string("user", user.description)
            json.array("blocked", found.blocked) { $0.string(nil, $1.description) }
            json.array("blockedBy", found.by) { $0.string(nil, $1.description) }
        }
    }

    func replaceProfile(_ order: ProfileOrder, _ id: RequestID) {
        let change = ProfileChange(
            user: order.user, profile: order.profile, source: .operator(Milliseconds.now / 1_000))
        storeReads.load(about: nil) { (store) throws(RoomStoreError) in
            let written = try store.write([change])
            return (written, try store.profiles(of: [order.user])[order.user])
        } then: { [self] answer in
            switch answer {
            case .success((let written, let stored)):
                invalidateStored(of: Array(written))
                respond(to: id) { $0.write(stored, of: order.user) }
            case .failure(let error): transport.respond(to: id, .error(error))
            }
        }
    }
}

extension JSONWriter {
    /// Writes a person's profile. A person without a profile has one of second 0.
    fileprivate mutating func write(_ stored: StoredProfile?, of user: UserName) {
        string("user", user.description)
        string("name", stored?.profile.name?.description ?? "")
        string("picture", stored?.profile.picture?.description ?? "")
        number("second", stored?.second ?? 0)
    }
}
