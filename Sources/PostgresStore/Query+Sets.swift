import ChatRoom
import ChatWire

extension Query {
    var name: String { "\(self)" }

    /// The whole statement.
    var sql: String {
        switch self {
        case .membershipsOf, .membershipsIn: Self.membership + "\n" + rawValue
        case .lockRooms, .placesOf: rawValue.replacing("ACTIVITY", with: Self.activity)
        default: rawValue
        }
    }

    /// The columns of a membership, with the first message above the read mark, the number of later ones that were
    /// deleted, and the number of messages above the mark that mention the person. All others after the first are in
    /// the list, because trimming removes the oldest only. A message mentions a person if it names them, or if somebody
    /// else wrote it to everybody.
    private static let membership = """
        SELECT name, member.person, revision, joined, member.time, read, count, inserted, first.ordinal,
            (SELECT count(*) FROM tombstones WHERE tombstones.room = member.room AND sort > first.sort)
                + (SELECT count(*) FROM deleted WHERE deleted.room = member.room AND sort > first.sort),
            (SELECT count(*) FROM mentions AS said
                WHERE said.room = member.room AND said.person = member.person AND sort > member.read)
                + (SELECT count(*) FROM mentions AS said
                    WHERE said.room = member.room AND said.person = '' AND sort > member.read)
                - (SELECT count(*) FROM mentions AS said
                    WHERE said.room = member.room AND said.author = member.person AND sort > member.read), title,
            pinned, silenced, archived, marked, picture, inviter, \(activity)
        """

    /// A room's activity. A message of a time that makes no sense counts for none.
    private static let activity = """
        CASE WHEN stamped = inserted THEN activity ELSE greatest(activity, coalesce((
            SELECT CASE WHEN messages.time BETWEEN 0 AND \(WireInteger.limit - 1) THEN
                messages.time * \(ActivityStamp.perMillisecond) END
            FROM messages WHERE messages.room = rooms.id ORDER BY sort DESC LIMIT 1
        ), 0)) END
        """

    static let following: [Query] = [.renewLease, .keepLease, .formats, .forgetServers, .raiseFormat]
    static let beating: [Query] = [.heads, .line, .witness, .silent, .endBackend, .endStalled]
    static let committing: [Query] = [
        .addRooms, .lockRooms, .line, .witness, .endBackend, .commands, .messages, .addOperations,
        .putMessages, .removeMessages, .addMentions, .removeMentions, .addTombstones, .setRooms, .removeRooms,
        .standings, .lastSends, .putStandings, .putLastSends, .forgetSends, .lockPeople, .members, .addMembers,
        .removeMembers, .setSettings, .setRead, .profiles, .putProfiles,
    ]
    static let delivering: [Query] = [.line, .takeLease, .endLease, .deliveriesAfter, .delivery, .setDelivery]
    static let reading: [Query] = [
        .line, .backend, .room, .messagesBefore, .messagesFrom, .sortOfID, .sortOfTime, .stampsUp, .stampsDown,
        .changedUp, .changedDown, .tombstonesUp, .tombstonesDown, .insertedSince, .touchedSince, .deletedSince,
        .operations, .audited, .allStandings, .roomsAfter, .membershipsOf, .membershipsIn, .membersAfter,
        .mentionsOf, .mentionsBefore,
        .lastMessages, .standingsOf, .placesOf,
        .companionsOf, .companionsIn, .profiles,
        .standings,
        .addFingerprint, .removeFingerprints, .fingerprint,
    ]
    static let trimming: [Query] = [
        .line, .takeLease, .endLease, .roomsToTrim, .lockRoom, .firstMessages, .firstOperations, .removeFirstMessages,
        .removeOperations, .removeSendsOfTombstones, .keepDeleted, .removeTombstones, .removeDeleted,
        .removeFirstMentions, .shorten, .setFloor,
    ]
}
