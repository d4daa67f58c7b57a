public import ChatWire

/// The reason why a reader cannot follow its list. The replica is unchanged.
public enum ReplicaError: Error, Equatable, Sendable {
    /// The frame is of another incarnation of the list.
    case otherEpoch(held: Epoch, found: Epoch)
    /// Something before the diff is missing.
    case gap(held: Revision, from: Revision)
    /// The diff has an operation of a later version of the protocol.
    case unknownOperation(String)
    /// The frame contradicts itself or the replica. The text says how.
    case malformed(String)
    /// The result would differ from the server's list: one side has a bug, or the data was tampered with.
    case diverged(expected: ListProof, found: ListProof)
    /// The page is older than the replica, so rows deleted since would come back. Ask again.
    case stalePage(held: Revision, page: Revision)

    /// The reader's next step.
    public enum Remedy: Sendable {
        /// Subscribe again with `resume`.
        case resume
        /// Subscribe again without `resume`: a diff would not help.
        case startAfresh
        /// Ask for the page again.
        case requestAgain
    }

    public var remedy: Remedy {
        switch self {
        case .otherEpoch, .gap: .resume
        case .unknownOperation, .malformed, .diverged: .startAfresh
        case .stalePage: .requestAgain
        }
    }
}
