/// The animation of rows that come and go, as far as the view supports it.
public enum RowAnimation: CaseIterable, Sendable {
    /// The view chooses.
    case automatic
    /// They fade in and out.
    case fade
    /// They slide in from the left, and out to the left.
    case left
    /// They slide in from the right, and out to the right.
    case right
    /// They slide in from above, and out upwards.
    case top
    /// They slide in from below, and out downwards.
    case bottom
    /// They stay in the middle of their space.
    case middle
    /// They appear and disappear at once.
    case none
}
