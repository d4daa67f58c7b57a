import ChatRoom
import ChatWire
import RoomStore

/// The statements that read and write people's profiles. All but ``init(_:)`` run within a transaction.
final class ProfileStatements {
    private let profile: Statement
    private let put: Statement

    init(_ connection: borrowing Connection) throws(RoomStoreError) {
        profile = try Statement(.profile, on: connection)
        put = try Statement(.putProfile, on: connection)
    }

    /// See ``RoomStore/profiles(of:)``.
    func profiles(of users: [UserName]) throws(RoomStoreError) -> [UserName: StoredProfile] {
        var profiles: [UserName: StoredProfile] = [:]
        for user in users {
            profile.bind(1, user.description)
            do throws(RoomStoreError) {
                profiles[user] = try profile.first { (row) throws(RoomStoreError) in try row.profile() }
            } catch {
                guard case .damaged = error else { throw error }
            }
        }
        return profiles
    }

    /// See ``RoomStore/write(_:)``.
    func write(_ changes: [ProfileChange]) throws(RoomStoreError) -> Set<UserName> {
        let written = changes.applied(to: try profiles(of: changes.map(\.user)))
        for (user, stored) in written {
            put.bind(1, user.description)
            put.bind(2, stored.profile.name?.description)
            put.bind(3, stored.profile.picture?.description)
            put.bind(4, stored.second)
            try put.run()
        }
        return Set(written.keys)
    }
}
