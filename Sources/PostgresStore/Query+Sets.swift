extension Query {
    var name: String { "\(self)" }

    static let following: [Query] = [.renewLease, .keepLease, .formats, .raiseFormat]
    static let beating: [Query] = [.heads, .line, .witness, .silent, .backend, .endBackend]
    static let committing: [Query] = [
        .addRooms, .lockRooms, .line, .witness, .backend, .endBackend, .commands, .messages, .addOperations,
        .putMessages, .removeMessages, .addMentions, .removeMentions, .addTombstones, .setRooms, .removeRooms,
        .standings, .lastSends, .putStandings, .putLastSends, .forgetSends, .lockPeople, .members, .addMembers,
        .removeMembers, .setSettings, .setRead, .profiles, .putProfiles,
    ]
    static let delivering: [Query] = [.takeLease, .endLease, .deliveriesAfter, .delivery, .setDelivery]
    static let reading: [Query] = [
        .line, .backend, .room, .messagesBefore, .messagesFrom, .sortOfID, .sortOfTime, .stampsUp, .stampsDown,
        .changedUp, .changedDown, .tombstonesUp, .tombstonesDown, .insertedSince, .touchedSince, .deletedSince,
        .operations, .audited, .allStandings, .roomsAfter, .membershipsOf, .membershipsIn, .membersAfter,
        .mentionsOf,
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
