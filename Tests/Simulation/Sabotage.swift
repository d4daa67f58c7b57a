/// A fault put in on purpose: what the laws must report.
enum Sabotage: CaseIterable, Sendable {
    /// A published diff does not get into the log of a loop.
    case droppedDiff
    /// A reader follows the log from a frame too late.
    case lateAttachment
    /// A published diff has a digest of something else.
    case wrongDigest
    /// The store does not say what was deleted.
    case lostTombstone
    /// The room does not hear that a message was deleted.
    case lostDeletion
    /// Two operations of one room get the same revision.
    case revisionTwice
    /// Publishes and acknowledges operations that are not durable yet.
    case earlyPublication
    /// The disk loses what it said was durable.
    case lostCommit
    /// Two operations that wait are carried out in the wrong order.
    case swappedOperations
    /// A repeated command is taken for an abuse of its id.
    case forgottenRepeat
    case lostAnswer
    case doubledAnswer
    /// Goes on sending to people who were put out.
    case uncheckedAccess
    /// Two names that Unicode calls equivalent are taken for one.
    case nameByEquivalence
    /// The last that happened is lost, and the history goes on as if it were the same.
    case lostLogUnderSameEpoch
    /// More is kept for readers than may be.
    case budgetIgnored
    /// A shard does not hear what is said in the rooms of its people.
    case lostNews
    /// A read mark is answered, and gets on no disk.
    case lostMark
    /// A message that mentions somebody counts twice once it was edited.
    case mentionTwice
    /// An edit that takes a mention away leaves the message in the list of mentions.
    case staleMention
    /// A stranger is let into a private or direct room.
    case openDoor
    /// A member of a private room who is muted, unmuted or kicked is only invited afterwards.
    case rewrittenMembership

    enum End { case never, calm }
}
