/// The columns of the screen's parts, from the left: the user's rooms, the messages, and the people in the room.
struct Columns: Equatable {
    /// 0 where there is no column of rooms; with the rule at its right.
    let rooms: Int
    let messages: Int
    /// 0 where there is no second room; with the rule at its left.
    let beside: Int
    /// 0 where there is no column of people; with the rule at its left.
    let members: Int

    /// The fewest columns of a window with two rooms.
    static let leastForTwo = 64

    /// - Parameters:
    ///   - hasBeside: true for two rooms, which leave no space for the people.
    ///   - wantsRooms: whether the user wants the column of rooms; `nil` for where there is space.
    init(of width: Int, hasRooms: Bool, hasMembers: Bool, hasBeside: Bool = false, wantsRooms: Bool? = nil) {
        rooms = hasRooms ? RoomsPane.width(of: width, isWanted: wantsRooms) : 0
        members = hasMembers && !hasBeside ? MembersPane.width(of: width) : 0
        beside = hasBeside ? (width - rooms) / 2 : 0
        messages = width - rooms - members - beside
    }
}
