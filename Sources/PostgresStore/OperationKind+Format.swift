import RoomStore

extension OperationKind {
    /// The format that it came with: it is not written before that is in force.
    var format: Int {
        switch self {
        case .send, .edit, .delete, .react, .unreact: 1
        case .remove, .mute, .unmute, .kick, .ban, .unban, .slowMode, .readOnly, .appoint: 2
        case .join, .leave: 9
        }
    }
}
