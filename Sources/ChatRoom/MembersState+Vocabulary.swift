package import ChatWire

extension MembersState {
    package enum Input: Sendable {
        /// A connection of somebody's follows the room's messages.
        case came(Reader, UserName)
        /// It no longer does.
        case left(Reader)
        /// Its connection was silent for so long that it counts as dead: there was grace enough.
        case died(Reader)
        /// Somebody has sent a message.
        case said(UserName)
        case typing(Reader, ref: UInt64, ClientFrame.Switch)
        /// `of`: the revision that the room's messages have reached.
        case read(Reader, ref: UInt64, Revision, of: Revision)
        case subscribe(Reader, ref: UInt64, Resume?)
        case unsubscribe(Reader)
        /// It fell off the outgoing log; what it has is this revision.
        case behind(Reader, Revision)
        case woken
        /// What another server says of people there.
        case elsewhere(ServerID, [Presence])
        /// Nothing more is heard of another server.
        case lost(ServerID)
        /// Another server wants to know who is here.
        case asked
        /// What other servers told may have been missed: they were asked for all of it.
        case missed
        /// They have had time to answer.
        case caughtUp
    }

    package enum Effect: Equatable, Sendable {
        case answer(Reader, ServerFrame)
        /// Send it, then attach the reader to the outgoing log at its revision.
        case deliver(Reader, ref: UInt64?, ListDelivery<Member>)
        /// To everybody who is attached.
        case publish(ListDiff<Member>)
        /// To the other servers.
        case share([Presence])
        /// Say `woken` at this time; what was asked for before counts no longer.
        case wake(at: Duration)
    }
}
