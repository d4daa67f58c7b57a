/// How rows are to be seen to come and go, as far as the view can.
public enum RowAnimation: CaseIterable, Sendable {
    /// As the view thinks best.
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
    /// They keep to the middle of their space.
    case middle
    /// They are there, or gone, at once.
    case none
}
