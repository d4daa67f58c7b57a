package import ChatWire

extension MembersState {
    package enum Input: Sendable {
        /// A connection of the user follows the room's messages.
        case came(Reader, UserName)
        /// The connection no longer follows them.
        case left(Reader)
        /// The connection was silent for so long that it counts as dead. The person gets no further grace.
        case died(Reader)
        /// The user has sent a message.
        case said(UserName)
        case typing(Reader, ref: UInt64, ClientFrame.Switch)
        /// `of`: the last revision of the room's messages.
        case read(Reader, ref: UInt64, Revision, of: Revision)
        /// The user has read the room's messages up to a revision, in the room or elsewhere.
        case readAll(UserName, Revision)
        /// A reader waits for the people who belong to the room. ``MembersState/hasMemberships`` tells when they are there.
        case membershipsRequested
        /// The memberships, invitations or roles of these people may have changed.
        case membershipsChanged([UserName])
        /// News of memberships may be lost.
        case membershipsInvalidated
        case loaded(MembersReading, number: UInt64)
        /// The error is `nil` for a reading of another history.
        case loadingFailed(WireError?, number: UInt64)
        case subscribe(Reader, ref: UInt64, Resume?)
        case unsubscribe(Reader)
        /// The reader fell off the outgoing log. It holds this revision.
        case behind(Reader, Revision)
        case woken
        /// News of people on another server.
        case elsewhere(ServerID, [Presence])
        /// Another server is silent.
        case lost(ServerID)
        /// Another server asks who is online here.
        case presenceRequested
        /// News of other servers may have been missed. They were asked for their state.
        case missed
        /// The other servers have had time to answer.
        case caughtUp
        /// The room's messages have another history. No member has read any of it yet, or left it.
        case renewed
    }

    package enum Effect: Equatable, Sendable {
        case answer(Reader, ServerFrame)
        /// Send the delivery, then attach the reader to the outgoing log at its revision.
        case deliver(Reader, ref: UInt64?, ListDelivery<Member>)
        /// Send the diff to all attached readers.
        case publish(ListDiff<Member>)
        /// The person has read the room's messages up to this revision.
        case mark(UserName, Revision)
        /// Send the news to the other servers.
        case share([Presence])
        /// Query the store, and answer with `loaded` or `loadingFailed` of the number.
        case load(MembersQuery, number: UInt64)
        /// The memberships could not be read for those who wait for them.
        case membershipsUnavailable(WireError)
        /// Send `woken` at this time. It replaces an earlier wake.
        case wake(at: Duration)
    }
}
