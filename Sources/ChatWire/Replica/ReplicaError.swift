/// Why a reader cannot follow its list from here. It is as it was.
public enum ReplicaError: Error, Equatable, Sendable {
    /// The frame is of another incarnation of the list.
    case otherEpoch(held: Epoch, found: Epoch)
    /// Something before the diff is missing.
    case gap(held: Revision, from: Revision)
    /// The diff has an operation of a later version of the protocol.
    case unknownOperation(String)
    /// The frame contradicts itself or what is held. The text says how.
    case malformed(String)
    /// What is held would not be what the server has: somebody has an error, or has tampered.
    case diverged(expected: ListProof, found: ListProof)
    /// The page is older than what is held, so that what was deleted since would come back: ask again.
    case stalePage(held: Revision, page: Revision)

    /// What the reader does now.
    public enum Remedy: Sendable {
        /// Subscribe again with `resume`.
        case resume
        /// Subscribe again without: a diff would not help.
        case startAfresh
        /// Ask for the page again.
        case askAgain
    }

    public var remedy: Remedy {
        switch self {
        case .otherEpoch, .gap: .resume
        case .unknownOperation, .malformed, .diverged: .startAfresh
        case .stalePage: .askAgain
        }
    }
}
