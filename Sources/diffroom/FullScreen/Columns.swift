/// The columns of the screen's parts, from the left: the user's rooms, the messages, and the people in the room.
struct Columns: Equatable {
    /// 0 where there is no column of rooms; with the rule at its right.
    let rooms: Int
    let messages: Int
    /// 0 where there is no column of people; with the rule at its left.
    let members: Int

    /// - Parameter wantsRooms: whether the user wants the column of rooms; `nil` for where there is space.
    init(of width: Int, hasRooms: Bool, hasMembers: Bool, wantsRooms: Bool? = nil) {
        rooms = hasRooms ? RoomsPane.width(of: width, isWanted: wantsRooms) : 0
        members = hasMembers ? MembersPane.width(of: width) : 0
        messages = width - rooms - members
    }
}
